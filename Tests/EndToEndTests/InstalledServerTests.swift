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
    ServerRoot FOLDER
    ServerName 127.0.0.1
    Listen 127.0.0.1:PORT
    PidFile FOLDER/pid
    DefaultRuntimeDir FOLDER
    ErrorLog FOLDER/error.log
    KeepAliveTimeout 60
    \(geteuid() == 0 ? "User www-data\nGroup www-data" : "")
    LoadModule mpm_event_module MODULES/mod_mpm_event.so
    LoadModule authn_core_module MODULES/mod_authn_core.so
    LoadModule authn_file_module MODULES/mod_authn_file.so
    LoadModule authz_core_module MODULES/mod_authz_core.so
    LoadModule authz_user_module MODULES/mod_authz_user.so
    LoadModule auth_basic_module MODULES/mod_auth_basic.so
    LoadModule auth_digest_module MODULES/mod_auth_digest.so
    DocumentRoot FOLDER/root
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

  private static let modules = "/usr/lib/apache2/modules"
  static let hasApache = InstalledServer.find("apache2") != nil && FileManager.default.fileExists(atPath: modules + "/mod_auth_digest.so")
  static let hasNginx = InstalledServer.find("nginx") != nil

  private func withApache(_ body: (InstalledServer) async throws -> Void) async throws {
    let program = try #require(InstalledServer.find("apache2"))
    let configuration = InstalledServerTests.apache.replacing("MODULES", with: InstalledServerTests.modules)
    let server = try await InstalledServer(
      program, ["-f", "CONFIG", "-DFOREGROUND"], configuration: configuration, files: InstalledServerTests.files)
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
        // A transaction without a response is a kept connection that Apache had closed: a busy machine can be slower than its patience.
        let answers = recorder.metrics?.transactionMetrics.compactMap { ($0.response as? HTTPURLResponse)?.statusCode }
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
    let configuration = """
      daemon off; master_process off; pid FOLDER/pid; error_log FOLDER/error.log;
      events {}
      http {
        access_log off;
        client_body_temp_path FOLDER/1; proxy_temp_path FOLDER/2; fastcgi_temp_path FOLDER/3; uwsgi_temp_path FOLDER/4; scgi_temp_path FOLDER/5;
        server {
          listen 127.0.0.1:PORT;
          root FOLDER/root;
          location / { auth_basic "basic space"; auth_basic_user_file FOLDER/basic; }
        }
      }
      """
    let program = try #require(InstalledServer.find("nginx"))
    let server = try await InstalledServer(
      program, ["-c", "CONFIG", "-e", "stderr"], configuration: configuration, files: InstalledServerTests.files)
    defer { server.stop() }
    let session = URLSession(configuration: .testing())
    #expect(try await session.text(from: server.url("/basic/a.txt", user: InstalledServerTests.login)).0 == "basic a")
    #expect(try await session.text(from: server.url("/basic/b.txt")).0 == "basic b")
    session.invalidateAndCancel()
  }
}
