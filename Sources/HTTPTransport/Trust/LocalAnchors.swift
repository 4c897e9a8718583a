import Foundation
import LoadingModel

/// The trust anchors that this machine's administrator has added to the system's bundle, which itself doesn't distinguish them from public ones.
enum LocalAnchors {
  /// The folders for added anchors: of Debian, Ubuntu and Alpine; Fedora and RHEL; Arch; openSUSE.
  private static let folders = [
    "/usr/local/share/ca-certificates", "/etc/pki/ca-trust/source/anchors", "/etc/ca-certificates/trust-source/anchors",
    "/etc/pki/trust/anchors",
  ]
  private static let fileLimit = 1000
  private static let sizeLimit = 1 << 20

  /// Read once per process, as the system's bundle is: later additions show in neither.
  private static let known = read(folders)

  /// Whether the certificate (DER) is an added anchor. The first call reads the folders.
  static func contain(_ certificate: Data) -> Bool { known.contains(certificate) }

  /// The certificates, in PEM or DER, of all files in these folders and their subfolders. Other files are read as well, but match no certificate.
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
