import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A response that varies by a login is stored beside a code for it, not beside the login.
@Suite(.timeLimit(.minutes(10))) struct CacheLoginTests {
  private static let password = "pässword-that-nobody-else-has"

  private static func answer(_ request: RecordedRequest, challenge: String) -> Reply {
    guard request.headers["Authorization"] != nil else { return Reply(401, headers: ["WWW-Authenticate": challenge]) }
    return .fields("for you alone", ["Cache-Control": "max-age=60", "Vary": "Authorization, Proxy-Authorization, Cookie"])
  }

  /// How a request comes by its login.
  enum Login: String, CaseIterable, Sendable {
    case basicFieldOfTheApp
    case digestFieldOfTheApp
    case fieldOfTheSession
    case basicByStoredCredential
    case digestByStoredCredential
    case basicByChallenge
    case userAndPasswordInTheURL

    var field: String? {
      switch self {
      case .basicFieldOfTheApp, .fieldOfTheSession: basic("ann", password)
      case .digestFieldOfTheApp: #"Digest username="ann", realm="r", nonce="n", uri="/a", response="6629fae49393a05397450978507c4ef1""#
      case .basicByStoredCredential, .digestByStoredCredential, .basicByChallenge, .userAndPasswordInTheURL: nil
      }
    }

    var challenge: String {
      switch self {
      case .digestFieldOfTheApp, .digestByStoredCredential: #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#
      case .basicFieldOfTheApp, .fieldOfTheSession, .basicByStoredCredential, .basicByChallenge, .userAndPasswordInTheURL:
        #"Basic realm="r", charset="UTF-8""#
      }
    }
  }

  /// Everything that the files below `folder` have, one after another.
  private func contents(_ folder: URL) throws -> Data {
    let root = folder.path(percentEncoded: false)
    return try FileManager.default.subpathsOfDirectory(atPath: root).reduce(into: Data()) { all, path in
      var isFolder = ObjCBool(false)
      guard FileManager.default.fileExists(atPath: root + "/" + path, isDirectory: &isFolder), !isFolder.boolValue else { return }
      all += try Data(contentsOf: URL(filePath: root + "/" + path))
    }
  }

  /// A configuration without credentials, and with a cache.
  private func configuration(_ wire: Wire, cache: URLCache) throws -> URLSessionConfiguration {
    let configuration = try wire.configuration()
    configuration.urlCache = cache
    configuration.urlCredentialStorage = URLCredentialStorage()
    return configuration
  }

  private func session(_ login: Login, _ server: TestServer, _ configuration: URLSessionConfiguration) -> URLSession {
    if login == .fieldOfTheSession { configuration.httpAdditionalHeaders = ["Authorization": login.field ?? ""] }
    if login == .basicByStoredCredential || login == .digestByStoredCredential {
      let method = login == .basicByStoredCredential ? NSURLAuthenticationMethodHTTPBasic : NSURLAuthenticationMethodHTTPDigest
      let url = server.url("/a")
      let space = URLProtectionSpace(
        host: url.host() ?? "", port: url.port ?? 0, protocol: url.scheme, realm: "r", authenticationMethod: method)
      let credential = URLCredential(user: "ann", password: Self.password, persistence: .forSession)
      configuration.urlCredentialStorage?.setDefaultCredential(credential, for: space)
    }
    let delegate = login == .basicByChallenge ? ChallengeAnswerer("ann", Self.password) : nil
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  private func request(_ login: Login, _ server: TestServer) -> URLRequest {
    let isInURL = login == .userAndPasswordInTheURL
    var request = URLRequest(url: isInURL ? server.url("/a", user: "ann", password: Self.password) : server.url("/a"))
    if login == .basicFieldOfTheApp || login == .digestFieldOfTheApp { request.setValue(login.field, forHTTPHeaderField: "Authorization") }
    return request
  }

  @Test(arguments: Login.allCases, [Wire.plain] + Wire.multiplexed)
  func storedResponseShowsNoLogin(login: Login, _ wire: Wire) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "logins-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await TestServer.with(wire.options()) { server async throws in
      server.route("/a") { Self.answer($0, challenge: login.challenge) }
      let cache = URLCache(memoryCapacity: 0, diskCapacity: 10_000_000, directory: folder)
      let session = session(login, server, try configuration(wire, cache: cache))
      #expect(try await session.text(for: request(login, server)).0 == "for you alone")
      await cache.flush()
      #expect(cache.entries().count == 1)
      let stored = try contents(folder)
      // It is stored, and in clear: what isn't found isn't there.
      #expect(stored.range(of: Data("for you alone".utf8)) != nil)
      let sent = try #require(server.requests.last?.headers["Authorization"])
      let proof = sent.split(whereSeparator: { " ,=\"".contains($0) }).map(String.init).filter { $0.count > 20 }
      #expect(!proof.isEmpty)
      for secret in [sent, Self.password] + proof {
        #expect(stored.range(of: Data(secret.utf8)) == nil, "\(login) shows a part of the login")
      }
      // No other session is let in by it.
      let stranger = URLSession(configuration: try configuration(wire, cache: cache))
      let before = server.requestCount
      let (_, refusal) = try await stranger.text(from: server.url("/a"))
      #expect(refusal.statusCode == 401)
      #expect(server.requestCount == before + 1)
      // The app, which doesn't know what a session sends, finds it.
      #expect(cache.cachedResponse(for: URLRequest(url: server.url("/a")))?.data == Data("for you alone".utf8))
      for session in [session, stranger] { session.invalidateAndCancel() }
    }
  }
}
