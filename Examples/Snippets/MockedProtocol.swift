import Foundation
import URLLoadingSystem

/// Replaces a server: answers each path with a text of its own.
public final class MockedProtocol: URLProtocol, @unchecked Sendable {
  // @unchecked: no state beyond the superclass's.
  private static let answers = ["/users": "[\"anna\", \"bo\"]", "/version": "7"]

  public override class func canInit(with request: URLRequest) -> Bool {
    request.url?.host == "api.example.invalid"
  }

  public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  public override func startLoading() {
    guard let url = request.url else { return }
    let text = MockedProtocol.answers[url.path]
    let fields = ["Content-Type": "application/json"]
    guard let response = HTTPURLResponse(url: url, statusCode: text == nil ? 404 : 200, httpVersion: nil, headerFields: fields) else {
      client?.urlProtocol(self, didFailWithError: URLError(.badURL))
      return
    }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data((text ?? "").utf8))
    client?.urlProtocolDidFinishLoading(self)
  }

  public override func stopLoading() {}

  /// A session that never reaches the network for the mocked host.
  public static func session() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [MockedProtocol.self]
    return URLSession(configuration: configuration)
  }
}
