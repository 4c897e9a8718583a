import Foundation
import Testing
import URLLoadingSystem

/// Classes and objects that stand in for the library's own in the tests of apps, made as they are made on Apple's platforms.
struct StandInTests {
  @available(*, deprecated, message: "As Apple's initialiser is.")
  private final class EmptySession: URLSession, @unchecked Sendable {
    override init() {}
  }

  @available(*, deprecated, message: "As Apple's initialiser is.")
  private final class AnsweringSession: URLSession, @unchecked Sendable {
    let data: Data?
    init(data: Data?) { self.data = data }
  }

  private final class MarkedProtocol: URLProtocol, @unchecked Sendable {
    private let mark: String

    override init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
      mark = "marked"
      super.init(request: request, cachedResponse: cachedResponse, client: client)
    }

    override class func canInit(with request: URLRequest) -> Bool { true }

    override func startLoading() {
      guard let url = request.url else { return }
      let response = HTTPURLResponse(url: url, mimeType: "text/plain", expectedContentLength: mark.utf8.count, textEncodingName: nil)
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data(mark.utf8))
      client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
  }

  @available(*, deprecated, message: "As Apple's initialiser is.")
  @Test func sessionsAreMadeWithoutAConfiguration() {
    #expect(EmptySession().configuration.identifier == nil)
    #expect(AnsweringSession(data: Data([1])).data == Data([1]))
    #expect(URLSession().delegate == nil)
  }

  @Test func protocolClassesOverrideTheInitialiser() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [MarkedProtocol.self]
    let session = URLSession(configuration: configuration)
    let (data, response) = try await session.data(from: #require(URL(string: "http://a.test/")))
    #expect(data == Data("marked".utf8))
    #expect(response.mimeType == "text/plain" && (response as? HTTPURLResponse)?.statusCode == 0)
    session.invalidateAndCancel()
  }

  @Test func objectsAreMadeOfNothing() throws {
    let credential = URLCredential()
    #expect(credential.user == nil && !credential.hasPassword && credential.identity == nil && credential.persistence == .none)
    #expect(credential == URLCredential() && credential != URLCredential(user: "", password: "", persistence: .none))
    #expect(URLProtectionSpace().host.isEmpty && !URLProtectionSpace().isProxy())
    let challenge = URLAuthenticationChallenge()
    #expect(challenge.protectionSpace == URLProtectionSpace() && challenge.proposedCredential == nil && challenge.sender == nil)
    let cached = CachedURLResponse()
    #expect(cached.data.isEmpty && cached.response.url == nil && cached.storagePolicy == .allowed)
    // None of them is written into an archive as something that it isn't.
    for object in [credential, URLProtectionSpace(), challenge, cached] as [NSObject] {
      _ = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    }
  }
}
