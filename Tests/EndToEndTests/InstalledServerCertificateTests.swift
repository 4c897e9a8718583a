import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Client certificates with servers that others wrote, where they are installed.
@Suite(.timeLimit(.minutes(1))) struct InstalledServerCertificateTests {
  private static let modules = "/usr/lib/apache2/modules"
  static let hasApache = InstalledServer.find("apache2") != nil && FileManager.default.fileExists(atPath: modules + "/mod_ssl.so")
  static let hasNginx = InstalledServer.find("nginx") != nil

  private static let apache = """
    ServerRoot FOLDER
    ServerName 127.0.0.1
    Listen 127.0.0.1:PORT
    PidFile FOLDER/pid
    DefaultRuntimeDir FOLDER
    ErrorLog FOLDER/error.log
    \(geteuid() == 0 ? "User www-data\nGroup www-data" : "")
    LoadModule mpm_event_module MODULES/mod_mpm_event.so
    LoadModule authn_core_module MODULES/mod_authn_core.so
    LoadModule authz_core_module MODULES/mod_authz_core.so
    LoadModule headers_module MODULES/mod_headers.so
    LoadModule ssl_module MODULES/mod_ssl.so
    DocumentRoot FOLDER/root
    SSLEngine on
    SSLProtocol VERSION
    SSLCertificateFile FOLDER/server.pem
    SSLCertificateKeyFile FOLDER/server.key
    SSLCACertificateFile FOLDER/ca.pem
    SSLVerifyClient require
    SSLVerifyDepth 3
    Header set X-Client "%{SSL_CLIENT_S_DN_CN}s"
    """

  private static let nginx = """
    daemon off; master_process off; pid FOLDER/pid; error_log FOLDER/error.log;
    events {}
    http {
      access_log off;
      client_body_temp_path FOLDER/1; proxy_temp_path FOLDER/2; fastcgi_temp_path FOLDER/3; uwsgi_temp_path FOLDER/4; scgi_temp_path FOLDER/5;
      server {
        listen 127.0.0.1:PORT ssl;
        root FOLDER/root;
        ssl_protocols VERSION;
        ssl_certificate FOLDER/server.pem;
        ssl_certificate_key FOLDER/server.key;
        ssl_client_certificate FOLDER/ca.pem;
        ssl_verify_client on;
        ssl_verify_depth 3;
        add_header X-Client $ssl_client_s_dn;
      }
    }
    """

  private let authority: TestCertificateAuthority
  private let client: TestCertificate

  init() throws {
    authority = try TestCertificateAuthority()
    client = try authority.makeIntermediate().issueClient(name: "Known Client")
  }

  private func start(_ name: String, _ arguments: [String], _ configuration: String, version: String) async throws -> InstalledServer {
    func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }
    let own = try authority.issue()
    return try await InstalledServer(
      try #require(InstalledServer.find(name)), arguments,
      configuration: configuration.replacing("VERSION", with: version).replacing("MODULES", with: InstalledServerCertificateTests.modules),
      files: [
        "server.pem": text(own.chainPEM), "server.key": text(own.privateKeyPEM), "ca.pem": text(authority.pem), "root/a.txt": "for you",
      ])
  }

  /// What comes of asking `server` with this identity.
  private func load(_ server: InstalledServer, as certificate: TestCertificate?) async throws -> (HTTPURLResponse?, Int?) {
    let identity = try certificate.map { try #require(SecIdentity(pem: $0.chainPEM, key: $0.privateKeyPEM)) }
    let session = URLSession(configuration: .testing(trusting: authority), delegate: TrustJudge.presenting(identity), delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/a.txt"))
    do {
      let (data, response) = try await session.data(from: url)
      let http = try #require(response as? HTTPURLResponse)
      if http.statusCode == 200 { #expect(data == Data("for you".utf8)) }
      return (http, nil)
    } catch let error as URLError {
      return (nil, error.errorCode)
    }
  }

  @Test(.enabled(if: hasApache, "apache2 with mod_ssl isn't installed"), arguments: ["TLSv1.2", "TLSv1.3"])
  func apacheKnowsItsClients(_ version: String) async throws {
    let server = try await start("apache2", ["-f", "CONFIG", "-DFOREGROUND"], InstalledServerCertificateTests.apache, version: version)
    defer { server.stop() }
    let (response, _) = try await load(server, as: client)
    #expect(response?.statusCode == 200)
    #expect(response?.value(forHTTPHeaderField: "X-Client") == "Known Client")
    #expect(try await load(server, as: nil).1 == URLError.clientCertificateRequired.rawValue)
    let stranger = try TestCertificateAuthority(name: "Stranger").issueClient()
    #expect(try await load(server, as: stranger).1 == URLError.clientCertificateRejected.rawValue)
  }

  /// nginx shakes hands with everybody and tells those it doesn't know by a response.
  @Test(.enabled(if: hasNginx, "nginx isn't installed"), arguments: ["TLSv1.2", "TLSv1.3"])
  func nginxKnowsItsClients(_ version: String) async throws {
    let server = try await start("nginx", ["-c", "CONFIG", "-e", "stderr"], InstalledServerCertificateTests.nginx, version: version)
    defer { server.stop() }
    let (response, _) = try await load(server, as: client)
    #expect(response?.statusCode == 200)
    #expect(response?.value(forHTTPHeaderField: "X-Client").map { $0.hasPrefix("CN=Known Client") } == true)
    #expect(try await load(server, as: nil).0?.statusCode == 400)
    let stranger = try TestCertificateAuthority(name: "Stranger").issueClient()
    #expect(try await load(server, as: stranger).0?.statusCode == 400)
  }
}
