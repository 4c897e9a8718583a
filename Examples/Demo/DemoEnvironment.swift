#if TestKit
  import Foundation
  import URLLoadingSystem
  import URLLoadingTestKit

  /// What the steps run against: two servers with the same replies, one of them over TLS, and a session that trusts their authority.
  struct DemoEnvironment: Sendable {
    let plain: TestServer
    let secure: TestServer
    let session: URLSession
    private let authority: TestCertificateAuthority

    init() async throws {
      authority = try TestCertificateAuthority(name: "Demonstration Authority")
      var options = TestServer.Options.http
      options.routes = .standard
      plain = try await TestServer.start(options)
      options.tls = .certificate(try authority.issue())
      secure = try await TestServer.start(options)
      session = URLSession(configuration: DemoEnvironment.configuration(trusting: authority.pem))
    }

    func close() async {
      session.invalidateAndCancel()
      await plain.shutdown()
      await secure.shutdown()
    }

    private static func configuration(trusting authority: Data) -> URLSessionConfiguration {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.trustedRootsPEM = [authority]
      return configuration
    }

    /// A session of a step's own, trusting the authority, with the step's changes.
    func makeSession(_ change: (URLSessionConfiguration) -> Void = { _ in }) -> URLSession {
      let configuration = DemoEnvironment.configuration(trusting: authority.pem)
      change(configuration)
      return URLSession(configuration: configuration)
    }

    /// The HTTP response, which must have status 200.
    func ok(_ response: URLResponse) throws -> HTTPURLResponse {
      guard let http = response as? HTTPURLResponse else { throw DemoFailure("no HTTP response") }
      try demand(http.statusCode == 200, "status \(http.statusCode) instead of 200")
      return http
    }

    /// The error of a load that must fail.
    func failure(of load: () async throws -> Void) async throws -> URLError {
      do {
        try await load()
      } catch let error as URLError {
        return error
      }
      throw DemoFailure("the load succeeded; it should have failed")
    }
  }
#endif
