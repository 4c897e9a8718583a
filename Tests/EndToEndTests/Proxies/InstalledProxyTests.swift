import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Proxies that happen to be installed: squid, tinyproxy and Dante.
@Suite(.timeLimit(.minutes(10)), .serialized) struct InstalledProxyTests {
  /// What a load through a proxy has to get right, over plain http and over a tunnel.
  private func loadEverything(through adjust: (URLSessionConfiguration) -> Void) async throws {
    for wire in Wire.overTCP {
      try await wire.serve { server, configuration async throws in
        server.add(.standard)
        server.route("/cookie") { request in
          Reply(200, headers: ["Set-Cookie": "a=b"], body: .text(request.headers["Cookie"] ?? "-"))
        }
        server.route("/upload", .PUT) { .text("\($0.bodyLength)") }
        server.route("/moved") { _ in .redirect(to: "/cookie") }
        server.route("/large") { _ in Reply(200, body: .bytes(Data(repeating: 7, count: 3_000_000))) }
        server.route("/socket", .GET, reply: .webSocket(WebSocketService(.echo)))
        adjust(configuration)
        let session = URLSession(configuration: configuration)
        #expect(try await session.text(from: server.url("/cookie")).0 == "-")
        #expect(try await session.text(from: server.url("/moved")).0 == "a=b")
        let body = Data(repeating: 1, count: 700_000)
        #expect(try await session.upload(for: URLRequest("PUT", server.url("/upload")), from: body).0 == Data("700000".utf8))
        let (file, _) = try await session.download(from: server.url("/large"))
        #expect(try Data(contentsOf: file).count == 3_000_000)
        try FileManager.default.removeItem(at: file)
        let socket = session.webSocketTask(with: server.webSocketURL("/socket"))
        socket.resume()
        try await socket.send(.string("hello"))
        #expect(try await socket.receive().text == "hello")
        socket.cancel(with: .normalClosure, reason: nil)
        #expect(server.requests.allSatisfy { !$0.headers.contains(name: "Proxy-Authorization") })
        session.invalidateAndCancel()
      }
    }
  }

  private static let squidBase = """
    http_port 127.0.0.1:PORT
    pid_filename FOLDER/squid.pid
    cache deny all
    access_log none
    cache_log /dev/null
    cache_store_log none
    netdb_filename none
    coredump_dir FOLDER
    shutdown_lifetime 0 seconds

    """

  private static let helpers = "/usr/lib/squid"

  private static func hasSquid(with helper: String) -> Bool {
    InstalledServer.find("squid") != nil && FileManager.default.isExecutableFile(atPath: "\(helpers)/\(helper)")
  }

  /// squid writes its process number before it listens: what counts is that it says so.
  private func squid(_ configuration: String, files: [String: String] = [:]) async throws -> InstalledServer {
    let squid = try #require(InstalledServer.find("squid"))
    let script = "\(squid) -N -d 1 -f CONFIG 2>&1 | while read line; do case \"$line\" in *Accepting*) echo 1 > pid;; esac; done"
    return try await InstalledServer("/bin/sh", ["-c", script], configuration: Self.squidBase + configuration, files: files)
  }

  @Test(.enabled(if: InstalledServer.find("squid") != nil, "squid isn't installed"))
  func squidForwardsAndTunnels() async throws {
    let proxy = try await squid("http_access allow all")
    defer { proxy.stop() }
    try await loadEverything { $0.use(proxy.port) }
  }

  @Test(.enabled(if: hasSquid(with: "digest_file_auth"), "squid with digest_file_auth isn't installed"))
  func squidAcceptsDigest() async throws {
    let proxy = try await squid(
      """
      auth_param digest program \(Self.helpers)/digest_file_auth FOLDER/users
      auth_param digest realm squid
      acl known proxy_auth REQUIRED
      http_access allow known
      http_access deny all
      """, files: ["users": "user:pass word\n"])
    defer { proxy.stop() }
    try await loadEverything { $0.use(proxy.port, login: ("user", "pass word")) }
    let configuration = URLSessionConfiguration.testing()
    configuration.use(proxy.port, login: ("user", "wrong"))
    let session = URLSession(configuration: configuration)
    let error = await session.failure(of: try #require(URL(string: "https://127.0.0.1:1/")))
    #expect(error?.code == .userAuthenticationRequired)
    session.invalidateAndCancel()
  }

  /// A helper that lets every client in that completes NTLM's messages. squid's own one sends a message that isn't one.
  private static let helper = """
    import base64, sys
    challenge = b'NTLMSSP\\0' + bytes([2, 0, 0, 0]) + bytes(8) + bytes([1, 2, 0, 0]) + bytes(range(1, 9)) + bytes(16)
    for line in sys.stdin:
        kind, _, token = line.strip().partition(' ')
        message = base64.b64decode(token)
        if kind == 'YR':
            print('TT', base64.b64encode(challenge).decode(), flush=True)
        else:
            length, start = (int.from_bytes(message[at:at + size], 'little') for at, size in ((36, 2), (40, 4)))
            print('AF', message[start:start + length].decode('utf-16-le'), flush=True)

    """

  /// The system's own: squid's user can't run programs in another user's home.
  private static let python = "/usr/bin/python3"
  private static let hasNTLM = InstalledServer.find("squid") != nil && FileManager.default.isExecutableFile(atPath: python)

  private func squidWithNTLM() async throws -> InstalledServer {
    try await squid(
      """
      auth_param ntlm program \(Self.python) FOLDER/helper.py
      auth_param ntlm children 2
      acl known proxy_auth REQUIRED
      http_access allow known
      http_access deny all
      """, files: ["helper.py": Self.helper])
  }

  @Test(.enabled(if: hasNTLM, "squid or the system's python3 isn't installed"))
  func squidAcceptsNTLM() async throws {
    let proxy = try await squidWithNTLM()
    defer { proxy.stop() }
    try await loadEverything { $0.use(proxy.port, login: ("DOMAIN\\user", "password")) }
  }

  @Test(.enabled(if: hasNTLM, "squid or the system's python3 isn't installed"))
  func refusedUploadDoesNotGoOnWhereItsBodyIsNotRead() async throws {
    let proxy = try await squidWithNTLM()
    defer { proxy.stop() }
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/upload", .PUT) { .text("\($0.bodyLength)") }
      configuration.use(proxy.port, login: ("user", "password"))
      for _ in 0..<10 {
        let session = URLSession(configuration: configuration)
        let request = URLRequest("PUT", server.url("/upload"))
        let (data, _) = try await session.upload(for: request, from: Data(repeating: 1, count: 700_000))
        #expect(String(decoding: data, as: UTF8.self) == "700000")
        session.invalidateAndCancel()
      }
    }
  }

  @Test(.enabled(if: InstalledServer.find("tinyproxy") != nil, "tinyproxy isn't installed"))
  func tinyproxyAcceptsBasic() async throws {
    let proxy = try await InstalledServer(
      #require(InstalledServer.find("tinyproxy")), ["-d", "-c", "CONFIG"],
      configuration: """
        Port PORT
        Listen 127.0.0.1
        Timeout 60
        MaxClients 50
        PidFile "FOLDER/pid"
        BasicAuth user password

        """, files: [:])
    defer { proxy.stop() }
    try await loadEverything { $0.use(proxy.port, login: ("user", "password")) }
  }

  @Test(
    .enabled(if: geteuid() == 0 && InstalledServer.find("danted") != nil, "Dante isn't installed, or not run by root"),
    arguments: [false, true])
  func danteTunnels(_ version4: Bool) async throws {
    let proxy = try await InstalledServer(
      #require(InstalledServer.find("danted")), ["-f", "CONFIG", "-p", "pid"],
      configuration: """
        logoutput: /dev/null
        internal: 127.0.0.1 port = PORT
        external: lo
        clientmethod: none
        socksmethod: none
        user.privileged: root
        user.unprivileged: nobody
        client pass { from: 0/0 to: 0/0 }
        socks pass { from: 0/0 to: 0/0 }

        """, files: [:])
    defer { proxy.stop() }
    try await loadEverything { $0.useSOCKS(proxy.port, version4: version4) }
    guard InstalledFTPServer.programs.contains(.pyftpdlib) else { return }
    // FTP has several connections, each through the proxy.
    for security in [InstalledFTPServer.Security.none, .explicit] {
      let authority = try TestCertificateAuthority()
      try await InstalledFTPServer.with(.pyftpdlib, security, certificate: authority.issue()) { server async throws in
        let configuration = URLSessionConfiguration.testing()
        configuration.useSOCKS(proxy.port, version4: version4)
        configuration.trust(authority)
        let session = URLSession(configuration: configuration)
        #expect(try await session.data(from: server.url("/dir/a.txt")).0 == Data("content a".utf8))
        session.invalidateAndCancel()
      }
    }
  }
}
