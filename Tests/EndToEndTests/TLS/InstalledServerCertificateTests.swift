import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Client certificates with servers that others wrote, where they are installed.
@Suite(.timeLimit(.minutes(10))) struct InstalledServerCertificateTests {
  static let hasApache = InstalledServer.hasApache(with: "ssl")
  static let hasNginx = InstalledServer.find("nginx") != nil

  private static let apache = """
    SSLEngine on
    SSLProtocol VERSION
    SSLCertificateFile FOLDER/server.pem
    SSLCertificateKeyFile FOLDER/server.key
    SSLCACertificateFile FOLDER/ca.pem
    SSLVerifyClient require
    SSLVerifyDepth 3
    Header set X-Client "%{SSL_CLIENT_S_DN_CN}s"
    """

  private let authority: TestCertificateAuthority
  private let client: TestCertificate

  init() throws {
    authority = try TestCertificateAuthority()
    client = try authority.makeIntermediate().issueClient(name: "Known Client")
  }

  /// The files that both servers' configurations name.
  private func files() throws -> [String: String] {
    func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }
    let own = try authority.issue()
    return [
      "server.pem": text(own.chainPEM), "server.key": text(own.privateKeyPEM), "ca.pem": text(authority.pem), "root/a.txt": "for you",
    ]
  }

  /// What comes of asking `server` with this identity.
  private func load(_ server: InstalledServer, as certificate: TestCertificate?) async throws -> (HTTPURLResponse?, Int?) {
    let identity = try certificate.map { try #require(SecIdentity(pem: $0.chainPEM, key: $0.privateKeyPEM)) }
    let session = URLSession(
      configuration: .testing(trusting: authority), delegate: ChallengeDelegate.presenting(identity), delegateQueue: nil)
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
    let server = try await InstalledServer.apache(
      ["headers", "ssl"], InstalledServerCertificateTests.apache.replacing("VERSION", with: version), files: files())
    defer { server.stop() }
    let (response, _) = try await load(server, as: client)
    #expect(response?.statusCode == 200)
    #expect(response?.value(forHTTPHeaderField: "X-Client") == "Known Client")
    #expect(try await load(server, as: nil).1 == URLError.clientCertificateRequired.rawValue)
    let stranger = try TestCertificateAuthority(name: "Stranger").issueClient()
    #expect(try await load(server, as: stranger).1 == URLError.clientCertificateRejected.rawValue)
  }

  /// nginx completes the handshake with every client and refuses unknown ones by a response.
  @Test(.enabled(if: hasNginx, "nginx isn't installed"), arguments: ["TLSv1.2", "TLSv1.3"])
  func nginxKnowsItsClients(_ version: String) async throws {
    let server = try await InstalledServer.nginx(
      """
      listen 127.0.0.1:PORT ssl;
      ssl_protocols \(version);
      ssl_certificate FOLDER/server.pem;
      ssl_certificate_key FOLDER/server.key;
      ssl_client_certificate FOLDER/ca.pem;
      ssl_verify_client on;
      ssl_verify_depth 3;
      add_header X-Client $ssl_client_s_dn;
      """, files: files())
    defer { server.stop() }
    let (response, _) = try await load(server, as: client)
    #expect(response?.statusCode == 200)
    #expect(response?.value(forHTTPHeaderField: "X-Client").map { $0.hasPrefix("CN=Known Client") } == true)
    #expect(try await load(server, as: nil).0?.statusCode == 400)
    let stranger = try TestCertificateAuthority(name: "Stranger").issueClient()
    #expect(try await load(server, as: stranger).0?.statusCode == 400)
  }
}
