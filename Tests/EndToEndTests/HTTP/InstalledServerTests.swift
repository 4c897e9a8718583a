import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Authentication against servers that others wrote, where they are installed.
@Suite(.timeLimit(.minutes(10))) struct InstalledServerTests {
  private static let user = "Mufasa"
  private static let password = "Circle of Life"
  private static let login = "Mufasa:Circle%20of%20Life"
  private static let sha = "{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ="

  private static let apache = """
    <Location /basic>
      AuthType Basic
      AuthName "basic space"
      AuthUserFile FOLDER/basic
      Require valid-user
    </Location>
    <Location /digest>
      AuthType Digest
      AuthName "digest space"
      AuthDigestDomain /digest/
      AuthUserFile FOLDER/digest
      Require valid-user
    </Location>
    """

  private static let files = [
    "basic": "\(user):\(sha)\n", "digest": "\(user):digest space:e3c039f011552be7036349f8b253b341\n",
    "root/basic/a.txt": "basic a", "root/basic/b.txt": "basic b", "root/digest/a.txt": "digest a", "root/digest/b.txt": "digest b",
  ]

  private static let apacheWires: [Wire] =
    InstalledServer.hasApache(with: "auth_digest") ? [.plain] + (InstalledServerHTTP2Tests.Program.apache2.isInstalled ? [.h2] : []) : []
  private static let nginxWires: [Wire] = InstalledServer.find("nginx") == nil ? [] : [.plain, .h2]

  private static func files(for wire: Wire) throws -> [String: String] {
    guard case .certificate(let own) = try wire.options().tls else { return files }
    let secure = [
      "server.pem": String(decoding: own.chainPEM, as: UTF8.self), "server.key": String(decoding: own.privateKeyPEM, as: UTF8.self),
    ]
    return files.merging(secure) { $1 }
  }

  private func withApache(_ wire: Wire, _ body: (InstalledServer, URLSessionConfiguration) async throws -> Void) async throws {
    let modules = ["authn_file", "authz_user", "auth_basic", "auth_digest"] + (wire == .h2 ? ["http2", "ssl"] : [])
    let setup = InstalledServerTests.apache + (wire == .h2 ? "\n" + InstalledServerHTTP2Tests.apache : "")
    let server = try await InstalledServer.apache(modules, setup, files: InstalledServerTests.files(for: wire))
    defer { server.stop() }
    try await body(server, wire.configuration())
  }

  @Test(.enabled(if: !apacheWires.isEmpty, "apache2 isn't installed"), arguments: ["basic", "digest"], apacheWires)
  func apacheLetsInAndIsAskedOnce(_ kind: String, _ wire: Wire) async throws {
    try await withApache(wire) { server, configuration async throws in
      let delegate = ChallengeAnswerer(InstalledServerTests.user, InstalledServerTests.password)
      let recorder = DelegateRecorder()
      configuration.urlCache = nil
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/\(kind)/a.txt", wire)).0 == "\(kind) a")
      for _ in 0..<5 {
        let (data, _) = try await session.data(from: server.url("/\(kind)/b.txt", wire), delegate: recorder)
        #expect(String(decoding: data, as: UTF8.self) == "\(kind) b")
        let answers = recorder.metrics?.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode }
        #expect(answers == [200])
      }
      #expect(delegate.asked.map(\.realm) == ["\(kind) space"])
      session.invalidateAndCancel()
    }
  }

  @Test(.enabled(if: !apacheWires.isEmpty, "apache2 isn't installed"), arguments: ["basic", "digest"], apacheWires)
  func apacheRefusesAWrongPassword(_ kind: String, _ wire: Wire) async throws {
    try await withApache(wire) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: server.url("/\(kind)/a.txt", user: "Mufasa:wrong", wire)).1.statusCode == 401)
      #expect(try await session.text(from: server.url("/\(kind)/a.txt", user: InstalledServerTests.login, wire)).0 == "\(kind) a")
      session.invalidateAndCancel()
    }
  }

  @Test(.enabled(if: !nginxWires.isEmpty, "nginx isn't installed"), arguments: nginxWires) func nginxLetsIn(_ wire: Wire) async throws {
    let server = try await InstalledServer.nginx(
      """
      \(wire == .h2 ? InstalledServerHTTP2Tests.nginx : "listen 127.0.0.1:PORT;")
      location / { auth_basic "basic space"; auth_basic_user_file FOLDER/basic; }
      """, files: InstalledServerTests.files(for: wire))
    defer { server.stop() }
    let session = URLSession(configuration: try wire.configuration())
    #expect(try await session.text(from: server.url("/basic/a.txt", user: InstalledServerTests.login, wire)).0 == "basic a")
    #expect(try await session.text(from: server.url("/basic/b.txt", wire)).0 == "basic b")
    session.invalidateAndCancel()
  }
}
