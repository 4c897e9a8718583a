import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// FTP against servers that others wrote, where they are installed.
@Suite(.timeLimit(.minutes(1))) struct InstalledServerFTPTests {
  private static let python = "/usr/bin/python3"
  static let hasPyftpdlib =
    FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/pyftpdlib")
    && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/OpenSSL")

  private static let script = """
    from pyftpdlib.authorizers import DummyAuthorizer
    from pyftpdlib.handlers import FTPHandler, TLS_FTPHandler
    from pyftpdlib.servers import FTPServer
    authorizer = DummyAuthorizer()
    authorizer.add_user("user", "secret", "FOLDER/root", perm="elradfmwMT")
    handler = HANDLER
    handler.authorizer = authorizer
    if handler is TLS_FTPHandler:
      handler.certfile = "FOLDER/cert.pem"
      handler.tls_control_required = True
      handler.tls_data_required = True
    FTPServer(("127.0.0.1", PORT), handler).serve_forever()
    """

  private func withServer(
    _ handler: String, certificate: String = "", _ body: (InstalledServer, (String) throws -> URL) async throws -> Void
  ) async throws {
    let server = try await InstalledServer(
      InstalledServerFTPTests.python, ["CONFIG"], configuration: InstalledServerFTPTests.script.replacing("HANDLER", with: handler),
      files: ["cert.pem": certificate, "root/dir/a.txt": "content a", "root/dir/é.txt": "content é"])
    defer { server.stop() }
    try await body(server) { path in try #require(URL(string: "ftp://user:secret@127.0.0.1:\(server.port)\(path)")) }
  }

  private func exercise(_ session: URLSession, _ url: (String) throws -> URL) async throws {
    #expect(try await session.data(from: url("/dir/a.txt")).0 == Data("content a".utf8))
    #expect(try await session.data(from: url("/dir/%C3%A9.txt")).0 == Data("content é".utf8))
    #expect(String(decoding: try await session.data(from: url("/dir/;type=d")).0, as: UTF8.self).contains("a.txt\r\n"))
    var request = URLRequest(url: try url("/dir/b.bin"))
    request.httpMethod = "PUT"
    request.httpBody = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    _ = try await session.data(for: request)
    #expect(try await session.data(from: url("/dir/b.bin")).0 == request.httpBody)
    var part = URLRequest(url: try url("/dir/b.bin"))
    part.setValue("bytes=999990-", forHTTPHeaderField: "Range")
    #expect(try await session.data(for: part).0 == request.httpBody?.suffix(10))
    part.setValue("bytes=10-19", forHTTPHeaderField: "Range")
    #expect(try await session.data(for: part).0 == request.httpBody?[10..<20])
    #expect(await session.failure(of: try url("/dir/none"))?.code == .fileDoesNotExist)
  }

  @Test(.enabled(if: hasPyftpdlib, "python3-pyftpdlib and python3-openssl aren't installed")) func pyftpdlibServesAndStores() async throws {
    try await withServer("FTPHandler") { _, url async throws in
      let session = URLSession(configuration: .testing())
      try await exercise(session, url)
      session.invalidateAndCancel()
    }
  }

  @Test(.enabled(if: hasPyftpdlib, "python3-pyftpdlib and python3-openssl aren't installed"))
  func pyftpdlibThatInsistsOnTLSGetsIt() async throws {
    let authority = try TestCertificateAuthority()
    let certificate = try authority.issue()
    let pem = String(decoding: certificate.privateKeyPEM + Data("\n".utf8) + certificate.chainPEM, as: UTF8.self)
    try await withServer("TLS_FTPHandler", certificate: pem) { _, url async throws in
      let session = URLSession(configuration: .testing(trusting: authority))
      try await exercise(session, url)
      session.invalidateAndCancel()
      let distrustful = URLSession(configuration: .testing())
      #expect(await distrustful.failure(of: try url("/dir/a.txt"))?.code == .serverCertificateHasUnknownRoot)
      distrustful.invalidateAndCancel()
    }
  }
}
