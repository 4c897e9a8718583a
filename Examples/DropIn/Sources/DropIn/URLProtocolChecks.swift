import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers every request itself, as test suites of apps do.
final class MockProtocol: URLProtocol, @unchecked Sendable {
  // @unchecked: no state beyond the superclass's.
  override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "mock.invalid" }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = request.url,
      let response = HTTPURLResponse(url: url, statusCode: 418, httpVersion: "HTTP/1.1", headerFields: ["Content-Type": "text/plain"])
    else { return }
    if url.path == "/error" {
      client?.urlProtocol(self, didFailWithError: URLError(.networkConnectionLost))
      return
    }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data("tea".utf8))
    client?.urlProtocol(self, didLoad: Data("pot".utf8))
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}

/// An app's own protocol class in a session's configuration.
func urlProtocolChecks(_ checks: Checks) async {
  let configuration = URLSessionConfiguration.ephemeral
  configuration.protocolClasses = [MockProtocol.self] + (configuration.protocolClasses ?? [])
  let session = URLSession(configuration: configuration)
  await checks.check("mock protocol answers in the server's place") {
    let (data, response) = try await session.data(from: URL(string: "https://mock.invalid/tea")!)
    try expect(String(decoding: data, as: UTF8.self), "teapot", "body")
    try expect((response as? HTTPURLResponse)?.statusCode, 418, "status")
    try expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "content-type"), "text/plain", "header")
  }
  await checks.check("error of a mock protocol reaches the caller") {
    do {
      _ = try await session.data(from: URL(string: "https://mock.invalid/error")!)
      throw CheckFailure("no error")
    } catch URLError.networkConnectionLost {}
  }
  await checks.check("requests a mock protocol declines go to the network") {
    let (data, _) = try await session.data(from: checks.url("bytes/5"))
    try expect(data.count, 5, "length")
  }
}
