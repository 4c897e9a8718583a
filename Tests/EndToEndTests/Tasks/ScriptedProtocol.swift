import Foundation
import struct Synchronization.Atomic
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Loads `scripted:` URLs as the script for their host says.
final class ScriptedProtocol: URLProtocol, @unchecked Sendable {
  // @unchecked: `onStop` is written before the load can be stopped, and on the loading queue.
  typealias Script = @Sendable (ScriptedProtocol) -> Void

  private static let scripts = Mutex<[String: Script]>([:])

  private static let count = Atomic(0)

  /// A URL with a host of its own, and what is to be done when it is loaded.
  static func url(_ script: @escaping Script) throws -> URL {
    let url = try #require(URL(string: "scripted://script\(count.add(1, ordering: .relaxed).newValue)/"))
    set(script, for: url)
    return url
  }

  /// A session that loads `scripted:` URLs.
  static func session(delegate: (any URLSessionDelegate)? = nil, cache: URLCache? = nil) -> URLSession {
    let configuration = URLSessionConfiguration.testing()
    if let cache { configuration.urlCache = cache }
    configuration.protocolClasses = [ScriptedProtocol.self] + (configuration.protocolClasses ?? [])
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

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

  func reply(
    _ pieces: [String], isComplete: Bool = true, policy: URLCache.StoragePolicy = .notAllowed, fields: [String: String]? = nil
  ) {
    guard let url = request.url, let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields) else {
      return
    }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: policy)
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
