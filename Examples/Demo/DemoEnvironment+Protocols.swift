#if TestKit
  import Foundation
  import URLLoadingSystem

  extension DemoEnvironment {
    func customProtocol() async throws -> [String] {
      let mocked = makeSession { $0.protocolClasses = [OracleProtocol.self] + ($0.protocolClasses ?? []) }
      defer { mocked.invalidateAndCancel() }
      guard let url = URL(string: "oracle://delphi/question") else { throw DemoFailure("no URL") }
      let (data, response) = try await mocked.data(from: url)
      let text = String(decoding: data, as: UTF8.self)
      try demand(text == "Know thyself.", "the answer was \(text)")
      // The built-in protocols still serve what the class leaves to them.
      let (_, other) = try await mocked.data(from: plain.url("/get"))
      return ["\(url): \(text) (\(response.mimeType ?? "-")); http in the same session: \(try ok(other).statusCode)"]
    }
  }

  /// Answers the scheme "oracle" without any network.
  private final class OracleProtocol: URLProtocol, @unchecked Sendable {
    // @unchecked: nothing is stored here.

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "oracle" }

    override func startLoading() {
      guard let url = request.url else { return }
      let response = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: -1, textEncodingName: "utf-8")
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data("Know ".utf8))
      client?.urlProtocol(self, didLoad: Data("thyself.".utf8))
      client?.urlProtocolDidFinishLoading(self)
    }
  }
#endif
