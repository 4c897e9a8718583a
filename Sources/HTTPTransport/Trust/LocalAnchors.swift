import Foundation
import LoadingModel

/// Certificates of authorities that this machine's administrator has added to the system's bundle, in which they can't be told from the public ones.
enum LocalAnchors {
  /// Where distributions have them put: Debian, Ubuntu, Alpine; Fedora, RHEL; Arch; openSUSE.
  private static let folders = [
    "/usr/local/share/ca-certificates", "/etc/pki/ca-trust/source/anchors", "/etc/ca-certificates/trust-source/anchors",
    "/etc/pki/trust/anchors",
  ]
  private static let fileLimit = 1000
  private static let sizeLimit = 1 << 20

  /// Read once: a program that runs sees new ones in the bundle as late.
  private static let known = read(folders)

  /// Whether the certificate (DER) is one of them. The first question reads some folders.
  static func contain(_ certificate: Data) -> Bool { known.contains(certificate) }

  /// The certificates in the files of these folders and those below, in PEM or DER; other files are passed over.
  static func read(_ folders: [String]) -> Set<Data> {
    var found: Set<Data> = []
    for folder in folders {
      let names = FileManager.default.enumerator(atPath: folder)
      for _ in 0..<fileLimit {
        guard let name = names?.nextObject() as? String else { break }
        let file = URL(filePath: folder, directoryHint: .isDirectory).appending(path: name)
        guard let values = try? file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey]), values.isRegularFile == true,
          values.fileSize ?? 0 <= sizeLimit, let content = try? Data(contentsOf: file)
        else { continue }
        found.formUnion(PEMDocument.certificates(in: content) ?? [content])
      }
    }
    return found
  }
}
