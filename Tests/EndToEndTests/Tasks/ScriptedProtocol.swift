import Foundation
import LoadingModel
import URLLoadingSystem

/// Loads `scripted:` URLs as the script for their host says.
final class ScriptedProtocol: URLProtocol, @unchecked Sendable {
  // @unchecked: `onStop` is written before the load can be stopped, and on the loading queue.
  typealias Script = @Sendable (ScriptedProtocol) -> Void

  private static let scripts = Mutex<[String: Script]>([:])

  static func set(_ script: @escaping Script, for url: URL) {
    scripts.withLock { $0[url.host ?? ""] = script }
  }

  var onStop: (@Sendable () -> Void)?

  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "scripted" }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest {
    var canonical = request
    canonical.setValue("yes", forHTTPHeaderField: "X-Canonical")
    return canonical
  }

  override func startLoading() {
    let script = ScriptedProtocol.scripts.withLock { $0[request.url?.host ?? ""] }
    script?(self)
  }

  override func stopLoading() { onStop?() }

  func reply(_ pieces: [String], isComplete: Bool = true) {
    guard let url = request.url, let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil) else {
      return
    }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    for piece in pieces { client?.urlProtocol(self, didLoad: Data(piece.utf8)) }
    if isComplete { client?.urlProtocolDidFinishLoading(self) }
  }

  func fail(_ error: any Error) { client?.urlProtocol(self, didFailWithError: error) }

  func redirect(to target: URL) {
    guard let url = request.url, let response = HTTPURLResponse(url: url, statusCode: 302, httpVersion: nil, headerFields: nil) else {
      return
    }
    client?.urlProtocol(self, wasRedirectedTo: URLRequest(url: target), redirectResponse: response)
  }
}
