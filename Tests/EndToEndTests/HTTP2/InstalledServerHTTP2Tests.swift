import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// HTTP/2 with servers that others wrote, where they are installed.
@Suite(.timeLimit(.minutes(20))) struct InstalledServerHTTP2Tests {
  /// A server program that speaks HTTP/2.
  enum Program: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case nginx, apache2, caddy, nghttpd

    var testDescription: String { rawValue }

    var isInstalled: Bool {
      switch self {
      case .apache2: InstalledServer.hasApache(with: "http2") && InstalledServer.hasApache(with: "ssl")
      case .nginx, .caddy, .nghttpd: InstalledServer.find(rawValue) != nil
      }
    }

    static let installed = allCases.filter(\.isInstalled)

    func start(_ files: [String: String]) async throws -> InstalledServer {
      switch self {
      case .nginx: try await InstalledServer.nginx(InstalledServerHTTP2Tests.nginx, files: files)
      case .apache2: try await InstalledServer.apache(["http2", "ssl"], InstalledServerHTTP2Tests.apache, files: files)
      case .caddy:
        try await InstalledServer(
          #require(InstalledServer.find("caddy")), ["run", "--adapter", "caddyfile", "--config", "CONFIG", "--pidfile", "pid"],
          configuration: InstalledServerHTTP2Tests.caddy, files: files)
      case .nghttpd:
        try await InstalledServer(
          #require(InstalledServer.find("bash")), ["CONFIG"], configuration: InstalledServerHTTP2Tests.nghttpd, files: files)
      }
    }
  }

  /// The server sends GOAWAY after every fifty requests.
  static let nginx = """
    listen 127.0.0.1:PORT ssl http2;
    ssl_certificate FOLDER/server.pem;
    ssl_certificate_key FOLDER/server.key;
    keepalive_requests 50;
    """
  static let apache = """
    Protocols h2 http/1.1
    SSLEngine on
    SSLCertificateFile FOLDER/server.pem
    SSLCertificateKeyFile FOLDER/server.key
    """
  static let caddy = """
    {
      admin off
      auto_https off
      default_sni 127.0.0.1
      storage file_system FOLDER/storage
    }
    https://127.0.0.1:PORT {
      tls FOLDER/server.pem FOLDER/server.key
      root * FOLDER/root
      file_server
    }
    """
  /// The program doesn't report when it is ready.
  private static let nghttpd = """
    (until (echo > /dev/tcp/127.0.0.1/PORT) 2> /dev/null; do sleep 0.02; done; echo 1 > FOLDER/pid) &
    exec nghttpd -a 127.0.0.1 -d FOLDER/root PORT FOLDER/server.key FOLDER/server.pem
    """

  private func serve(_ program: Program, _ body: (InstalledServerLoads) async throws -> Void) async throws {
    let authority = try TestCertificateAuthority()
    let own = try authority.issue()
    let server = try await program.start([
      "server.pem": String(decoding: own.chainPEM, as: UTF8.self), "server.key": String(decoding: own.privateKeyPEM, as: UTF8.self),
      "root/small.txt": InstalledServerLoads.small, "root/large.txt": InstalledServerLoads.large,
    ])
    defer { server.stop() }
    let session = URLSession(configuration: .testing(trusting: authority))
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    try await body(InstalledServerLoads(session: session, url: url, protocolName: "h2"))
    session.invalidateAndCancel()
  }

  @Test(.enabled(if: !Program.installed.isEmpty, "no server with HTTP/2 is installed"), arguments: Program.installed)
  func loadsOfAllKindsComeOverHTTP2(_ program: Program) async throws { try await serve(program) { try await $0.allKindsArrive() } }

  @Test(.enabled(if: !Program.installed.isEmpty, "no server with HTTP/2 is installed"), arguments: Program.installed)
  func hundredsOfLoadsAtOnceAllArrive(_ program: Program) async throws { try await serve(program) { try await $0.hundredsAtOnceArrive() } }

  @Test(.enabled(if: !Program.installed.isEmpty, "no server with HTTP/2 is installed"), arguments: Program.installed)
  func cancelledDownloadsLeaveTheConnectionInOrder(_ program: Program) async throws {
    try await serve(program) { try await $0.cancelledDownloadsLeaveTheConnectionInOrder() }
  }
}
