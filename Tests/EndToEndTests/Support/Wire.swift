import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What carries HTTP in a test: a behaviour of HTTP must be the same over each.
///
/// What belongs to HTTP/1.1 alone, its connections and its bytes, runs over `Wire.http1`.
enum Wire: String, CaseIterable, Sendable, CustomTestStringConvertible {
  /// HTTP/1.1 without TLS.
  case plain
  /// HTTP/1.1 with TLS.
  case tls
  /// HTTP/2, with TLS.
  case h2
  /// HTTP/3, over QUIC; in builds that have it.
  case h3

  /// Whether this build has HTTP/3.
  static let hasHTTP3: Bool = {
    #if HTTP3
      true
    #else
      false
    #endif
  }()

  static let allCases: [Wire] = [.plain, .tls, .h2] + (hasHTTP3 ? [.h3] : [])
  static let http1: [Wire] = [.plain, .tls]
  /// Those that proxies carry.
  static let overTCP: [Wire] = [.plain, .tls, .h2]
  /// Those with TLS.
  static let secure: [Wire] = allCases.filter { $0 != .plain }
  /// Those whose connections carry many requests at a time.
  static let multiplexed: [Wire] = allCases.filter(\.isMultiplexed)

  var isMultiplexed: Bool { !Wire.http1.contains(self) }

  /// What metrics call it.
  var protocolName: String { isMultiplexed ? rawValue : "http/1.1" }

  /// The code with which a client gives up a request; nil where connections alone can be given up.
  var cancelCode: Int? {
    switch self {
    case .plain, .tls: nil
    case .h2: 8
    case .h3: 0x10C
    }
  }

  var testDescription: String { rawValue }

  private static let authority = Result { try TestCertificateAuthority() }

  /// The options of a server on this wire.
  func options() throws -> TestServer.Options { self == .plain ? .http : options(try Wire.authority.get().issue()) }

  /// The options of a server on this wire that has this certificate.
  func options(_ certificate: TestCertificate) -> TestServer.Options {
    switch self {
    case .plain: .http
    case .tls: .https(certificate)
    case .h2: .http2(certificate)
    case .h3: .http3(certificate)
    }
  }

  /// A configuration whose sessions trust the servers of this wire.
  func configuration(clock: ManualClock? = nil) throws -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.testing(trusting: self == .plain ? nil : try Wire.authority.get(), clock: clock)
    use(in: configuration)
    return configuration
  }

  /// Has sessions made from a configuration use this wire, where the server doesn't choose it.
  func use(in configuration: URLSessionConfiguration) {
    if self == .h3 { configuration.httpVersions = .http3Only }
  }

  /// Runs `body` with a server and a configuration for it.
  func serve(
    _ adjust: (inout TestServer.Options) -> Void = { _ in }, _ body: (TestServer, URLSessionConfiguration) async throws -> Void
  ) async throws {
    var options = try options()
    adjust(&options)
    let configuration = try configuration()
    try await TestServer.with(options) { server in try await body(server, configuration) }
  }

  /// Runs `body` with a server that sends exact bytes, one script for each connection, and a configuration for it.
  func serve(raw scripts: [RawStep]..., body: (TestServer, URLSessionConfiguration) async throws -> Void) async throws {
    try await serve({ $0.behaviour = .rawInTurn(scripts) }, body)
  }
}

extension URLSession {
  /// The error that loading `request` ends with; records an issue if it succeeds.
  func failure(of request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil) async -> URLError? {
    do {
      let (data, response) = try await data(for: request, delegate: delegate)
      Issue.record("the load succeeded with \(data.count) bytes: \(response)")
      return nil
    } catch {
      return error as? URLError
    }
  }

  /// The error that loading `url` ends with; records an issue if it succeeds.
  func failure(of url: URL) async -> URLError? { await failure(of: URLRequest(url: url)) }

  /// The body at `url` as text, and its response.
  func text(from url: URL) async throws -> (String, HTTPURLResponse) { try await text(for: URLRequest(url: url)) }

  /// The body that `request` loads as text, and its response.
  func text(for request: URLRequest) async throws -> (String, HTTPURLResponse) {
    let (data, response) = try await data(for: request)
    return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
  }

  /// Returns when the session's event loop and its delegate queue have done what they had to do. Closes idle connections.
  func barrier() async { await flush() }
}

extension URLRequest {
  /// A request with this method and body.
  init(_ method: String, _ url: URL, body: Data? = nil) {
    self.init(url: url)
    httpMethod = method
    httpBody = body
  }
}
