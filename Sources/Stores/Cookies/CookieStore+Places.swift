import Foundation
import ProtocolRules

extension CookieStore {
  /// The store of this app. One object per process: what it hasn't written yet is seen by no other process.
  package static let standard = CookieStore(file: StoreLocation.standard.cookieFile)

  /// The store of all apps that know `identifier`.
  package static func group(_ identifier: String, at location: StoreLocation = .standard) -> CookieStore {
    CookieStore(file: groupFile(identifier, at: location))
  }

  static func groupFile(_ identifier: String, at location: StoreLocation) -> URL {
    // Beside the apps' own folders. A name of one path element, whatever the app passes; and none that begins with a dot.
    let name = identifier.unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar || "-_.".unicodeScalars.contains(scalar))
        ? String(scalar) : "%" + String(scalar.value, radix: 16)
    }.joined()
    return location.data.deletingLastPathComponent().appending(path: "url-loading-groups", directoryHint: .isDirectory)
      .appending(path: "group=" + name, directoryHint: .isDirectory).appending(path: "cookies.sqlite")
  }
}
