import Foundation
import URLLoadingSystem

/// Remembers the task of one asynchronous load.
public final class TaskWatcher: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
  // @unchecked: the session's delegate queue writes before the load returns, the caller reads afterwards.
  public private(set) var redirects: [URL] = []
  public private(set) var isMeasured = false

  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
  ) async -> URLRequest? {
    if let url = request.url { redirects.append(url) }
    return request
  }

  public func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    isMeasured = true
  }
}

/// Loads a URL with a delegate of its own and tells where the redirects led.
public func redirects(from url: URL) async throws -> [URL] {
  let watcher = TaskWatcher()
  _ = try await URLSession.shared.data(from: url, delegate: watcher)
  return watcher.redirects
}
