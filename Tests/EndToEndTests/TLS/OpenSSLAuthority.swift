import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

/// An authority that the `openssl` program plays: it makes what no library of today makes, weak keys and broken signatures.
final class OpenSSLAuthority {
  static let program = InstalledServer.find("openssl")

  private let folder: URL
  /// The authority's certificate in PEM.
  let pem: Data

  /// - Parameter constraints: The authority's name constraints, as openssl's configuration has them; nil for none.
  init(constraints: String? = nil) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "openssl-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("subjectAltName=IP:127.0.0.1,DNS:localhost\n".utf8).write(to: folder.appending(path: "leaf.ext"))
    try OpenSSLAuthority.run(
      folder,
      "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=Ancient -days 2 -addext basicConstraints=critical,CA:TRUE"
        + (constraints.map { " -addext nameConstraints=critical,\($0)" } ?? ""))
    pem = try Data(contentsOf: folder.appending(path: "ca.pem"))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A server certificate with an RSA key of `bits`, signed with `digest`.
  func issue(bits: Int = 2048, digest: String = "sha256") throws -> TestCertificate {
    try OpenSSLAuthority.run(folder, "req -newkey rsa:\(bits) -nodes -keyout leaf.key -out leaf.csr -subj /CN=localhost")
    try OpenSSLAuthority.run(
      folder, "x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -\(digest) -extfile leaf.ext -out leaf.pem")
    return try TestCertificate(
      chainPEM: Data(contentsOf: folder.appending(path: "leaf.pem")), privateKeyPEM: Data(contentsOf: folder.appending(path: "leaf.key")))
  }

  private static func run(_ folder: URL, _ arguments: String) throws {
    let process = try ChildProcess(program ?? "/usr/bin/openssl", arguments.split(separator: " ").map(String.init), in: folder)
    try #require(process.wait() == 0, "openssl \(arguments)")
  }
}
