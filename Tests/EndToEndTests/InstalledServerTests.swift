import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Authentication against servers that others wrote, where they are installed.
@Suite(.timeLimit(.minutes(1))) struct InstalledServerTests {
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

  static let hasApache = InstalledServer.hasApache(with: "auth_digest")
  static let hasNginx = InstalledServer.find("nginx") != nil

  private func withApache(_ body: (InstalledServer) async throws -> Void) async throws {
    let server = try await InstalledServer.apache(
      ["authn_file", "authz_user", "auth_basic", "auth_digest"], InstalledServerTests.apache, files: InstalledServerTests.files)
    defer { server.stop() }
    try await body(server)
  }

  @Test(.enabled(if: hasApache, "apache2 isn't installed"), arguments: ["basic", "digest"])
  func apacheLetsInAndIsAskedOnce(_ kind: String) async throws {
    try await withApache { server async throws in
      let delegate = ChallengeAnswerer(InstalledServerTests.user, InstalledServerTests.password)
      let recorder = DelegateRecorder()
      let configuration = URLSessionConfiguration.testing()
      configuration.urlCache = nil
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/\(kind)/a.txt")).0 == "\(kind) a")
      for _ in 0..<5 {
        let (data, _) = try await session.data(from: server.url("/\(kind)/b.txt"), delegate: recorder)
        #expect(String(decoding: data, as: UTF8.self) == "\(kind) b")
        let answers = recorder.metrics?.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode }
        #expect(answers == [200])
      }
      #expect(delegate.asked.map(\.realm) == ["\(kind) space"])
      session.invalidateAndCancel()
    }
  }

  @Test(.enabled(if: hasApache, "apache2 isn't installed"), arguments: ["basic", "digest"])
  func apacheRefusesAWrongPassword(_ kind: String) async throws {
    try await withApache { server async throws in
      let session = URLSession(configuration: .testing())
      #expect(try await session.text(from: server.url("/\(kind)/a.txt", user: "Mufasa:wrong")).1.statusCode == 401)
      #expect(try await session.text(from: server.url("/\(kind)/a.txt", user: InstalledServerTests.login)).0 == "\(kind) a")
      session.invalidateAndCancel()
    }
  }

  @Test(.enabled(if: hasNginx, "nginx isn't installed")) func nginxLetsIn() async throws {
    let server = try await InstalledServer.nginx(
      """
      listen 127.0.0.1:PORT;
      location / { auth_basic "basic space"; auth_basic_user_file FOLDER/basic; }
      """, files: InstalledServerTests.files)
    defer { server.stop() }
    let session = URLSession(configuration: .testing())
    #expect(try await session.text(from: server.url("/basic/a.txt", user: InstalledServerTests.login)).0 == "basic a")
    #expect(try await session.text(from: server.url("/basic/b.txt")).0 == "basic b")
    session.invalidateAndCancel()
  }
}
