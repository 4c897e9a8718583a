import Foundation
import ProtocolRules

extension CookieStore {
  /// The persistent store of this app; one object per process, so that all its sessions see changes that aren't written yet.
  package static let standard = CookieStore(file: StoreLocation.standard.cookieFile)

  /// The store that all apps with the group container `identifier` share.
  package static func group(_ identifier: String, at location: StoreLocation = .standard) -> CookieStore {
    CookieStore(file: groupFile(identifier, at: location))
  }

  static func groupFile(_ identifier: String, at location: StoreLocation) -> URL {
    // The folder is beside those of the apps. Whatever the identifier is, it becomes a single path component that doesn't begin with a dot.
    let name = identifier.unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar || "-_.".unicodeScalars.contains(scalar))
        ? String(scalar) : "%" + String(scalar.value, radix: 16)
    }.joined()
    return location.data.deletingLastPathComponent().appending(path: "url-loading-groups", directoryHint: .isDirectory)
      .appending(path: "group=" + name, directoryHint: .isDirectory).appending(path: "cookies.sqlite")
  }
}
