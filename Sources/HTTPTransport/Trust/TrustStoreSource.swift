import Foundation
import LoadingModel

/// The files from which trust anchors are read; without file and folders, the system's bundle.
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

  /// The paths of the system's bundle: on Debian, Ubuntu, Arch and Gentoo; Fedora and RHEL; openSUSE; Alpine and OpenBSD.
  static let systemFiles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  /// Reads `SSL_CERT_FILE` (a PEM bundle) and `SSL_CERT_DIR` (folders of PEM files, separated by colons), which replace the system's bundle.
  /// If both are set, both are used, except a folder that contains the bundle: distributions keep the same certificates there once more, in hundreds
  /// of files.
  package init(environment: [String: String]) {
    file = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    let place = file.map { URL(filePath: $0).deletingLastPathComponent().path(percentEncoded: false) }
    folders = (environment["SSL_CERT_DIR"] ?? "").split(separator: ":").map(String.init).filter {
      place == nil || URL(filePath: $0, directoryHint: .isDirectory).path(percentEncoded: false) != place
    }
  }

  /// The source that this process's environment names now.
  package static var ofProcess: TrustStoreSource { TrustStoreSource(environment: ProcessEnvironment.variables) }

  /// The files of `folders`, each once, even if links (as made by `c_rehash`) also refer to it. Hidden files are skipped.
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
