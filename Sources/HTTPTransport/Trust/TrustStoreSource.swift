import Foundation
import LoadingModel

/// Where the anchors of trust evaluation are read from.
package struct TrustStoreSource: Sendable, Hashable, Codable {
  /// A PEM bundle (`SSL_CERT_FILE`).
  package var file: String?
  /// Folders whose files are PEM (`SSL_CERT_DIR`).
  package var folders: [String]

  package init(file: String? = nil, folders: [String] = []) {
    self.file = file
    self.folders = folders
  }

  /// The system's own bundle.
  package static let system = TrustStoreSource()

  /// Where distributions keep their bundle: Debian, Ubuntu, Arch, Gentoo; Fedora, RHEL; openSUSE; Alpine, OpenBSD.
  static let systemFiles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  /// What the environment names in place of the system's bundle: `SSL_CERT_FILE` a PEM bundle, `SSL_CERT_DIR` folders of PEM files,
  /// separated by colons. Both are used where both are set, but for a folder that the bundle lies in: that is how a distribution keeps the
  /// same certificates twice, in some hundred files and in one.
  package init(environment: [String: String]) {
    file = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    let place = file.map { URL(filePath: $0).deletingLastPathComponent().path(percentEncoded: false) }
    folders = (environment["SSL_CERT_DIR"] ?? "").split(separator: ":").map(String.init).filter {
      place == nil || URL(filePath: $0, directoryHint: .isDirectory).path(percentEncoded: false) != place
    }
  }

  /// This process's, as its environment is now.
  package static var ofProcess: TrustStoreSource { TrustStoreSource(environment: ProcessEnvironment.variables) }

  /// The files of `folders`, each once: folders made by `c_rehash` name a file by links as well. Hidden files aren't read.
  var filesOfFolders: [String] {
    var known: Set<String> = []
    var files: [String] = []
    for folder in folders {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? [] where !name.hasPrefix(".") {
        let path = URL(filePath: folder, directoryHint: .isDirectory).appending(path: name, directoryHint: .notDirectory)
          .resolvingSymlinksInPath().path(percentEncoded: false)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else { continue }
        if known.insert(path).inserted { files.append(path) }
      }
    }
    return files
  }
}
