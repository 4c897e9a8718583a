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
  private static let caddy = """
    {
      admin off
      auto_https off
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

  private func serve(_ program: Program, _ body: (URLSession, URL) async throws -> Void) async throws {
    let authority = try TestCertificateAuthority()
    let own = try authority.issue()
    let server = try await program.start([
      "server.pem": String(decoding: own.chainPEM, as: UTF8.self), "server.key": String(decoding: own.privateKeyPEM, as: UTF8.self),
      "root/small.txt": "small", "root/large.txt": String(repeating: "0123456789abcdef", count: 1 << 19),
    ])
    defer { server.stop() }
    let session = URLSession(configuration: .testing(trusting: authority))
    try await body(session, try #require(URL(string: "https://127.0.0.1:\(server.port)/")))
    session.invalidateAndCancel()
  }

  @Test(.enabled(if: !Program.installed.isEmpty, "no server with HTTP/2 is installed"), arguments: Program.installed)
  func loadsOfAllKindsComeOverHTTP2(_ program: Program) async throws {
    try await serve(program) { session, url async throws in
      let recorder = DelegateRecorder()
      let (small, response) = try await session.data(from: url.appending(path: "small.txt"), delegate: recorder)
      #expect(String(decoding: small, as: UTF8.self) == "small")
      #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Length") == "5")
      #expect(recorder.metrics?.transactionMetrics.last?.networkProtocolName == "h2")
      let large = try await session.data(from: url.appending(path: "large.txt")).0
      #expect(large.count == 8 << 20)
      #expect(large.suffix(16) == Data("0123456789abcdef".utf8))
      var head = URLRequest(url: url.appending(path: "large.txt"))
      head.httpMethod = "HEAD"
      #expect(try await session.data(for: head).0.isEmpty)
      #expect(try await session.text(from: url.appending(path: "nowhere")).1.statusCode == 404)
    }
  }

  @Test(.enabled(if: !Program.installed.isEmpty, "no server with HTTP/2 is installed"), arguments: Program.installed)
  func hundredsOfLoadsAtOnceAllArrive(_ program: Program) async throws {
    try await serve(program) { session, url async throws in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for n in 0..<400 {
          group.addTask { try await session.data(from: url.appending(path: n % 50 == 7 ? "large.txt" : "small.txt")).0.count }
        }
        var counts: [Int: Int] = [:]
        for try await count in group { counts[count, default: 0] += 1 }
        #expect(counts == [5: 392, 8 << 20: 8])
      }
    }
  }

  @Test(.enabled(if: !Program.installed.isEmpty, "no server with HTTP/2 is installed"), arguments: Program.installed)
  func cancelledDownloadsLeaveTheConnectionInOrder(_ program: Program) async throws {
    try await serve(program) { session, url async throws in
      for _ in 0..<20 {
        let (bytes, _) = try await session.bytes(from: url.appending(path: "large.txt"))
        for try await _ in bytes { break }
        bytes.task.cancel()
        #expect(try await session.text(from: url.appending(path: "small.txt")).0 == "small")
      }
    }
  }
}
