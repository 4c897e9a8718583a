import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Proxies that happen to be installed: tinyproxy and Dante.
@Suite(.timeLimit(.minutes(1)), .serialized) struct InstalledProxyTests {
  /// What a load through a proxy has to get right, over plain http and over a tunnel.
  private func loadEverything(through adjust: (URLSessionConfiguration) -> Void) async throws {
    for wire in Wire.allCases {
      try await wire.serve { server, configuration async throws in
        server.add(.standard)
        server.route("/cookie") { request in
          Reply(200, headers: ["Set-Cookie": "a=b"], body: .text(request.headers["Cookie"] ?? "-"))
        }
        server.route("/upload", .PUT) { .text("\($0.bodyLength)") }
        server.route("/moved") { _ in .redirect(to: "/cookie") }
        server.route("/large") { _ in Reply(200, body: .bytes(Data(repeating: 7, count: 3_000_000))) }
        adjust(configuration)
        let session = URLSession(configuration: configuration)
        #expect(try await session.text(from: server.url("/cookie")).0 == "-")
        #expect(try await session.text(from: server.url("/moved")).0 == "a=b")
        let body = Data(repeating: 1, count: 700_000)
        #expect(try await session.upload(for: URLRequest("PUT", server.url("/upload")), from: body).0 == Data("700000".utf8))
        let (file, _) = try await session.download(from: server.url("/large"))
        #expect(try Data(contentsOf: file).count == 3_000_000)
        try FileManager.default.removeItem(at: file)
        #expect(server.requests.allSatisfy { !$0.headers.contains(name: "Proxy-Authorization") })
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
  }
}
