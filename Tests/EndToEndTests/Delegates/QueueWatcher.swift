import Foundation
import LoadingModel
import URLLoadingSystem
import URLLoadingTestKit

/// Sorts its calls by whether they came on the queue they should come on.
final class QueueWatcher: NSObject, URLSessionDataDelegate {
  let completed = Signal()
  private let queue: OperationQueue
  private let state = Mutex<(onQueue: [String], elsewhere: [String])>(([], []))

  init(_ queue: OperationQueue) { self.queue = queue }

  var onQueue: [String] { state.withLock { $0.onQueue } }
  var elsewhere: [String] { state.withLock { $0.elsewhere } }

  private func note(_ call: String) {
    let isOnQueue = OperationQueue.current === queue
    state.withLock { state in
      if isOnQueue { state.onQueue.append(call) } else { state.elsewhere.append(call) }
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    note("redirect")
    // Any thread may answer.
    Thread.detachNewThread { completionHandler(request) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse) {
    note("informational")
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    note("response")
    Thread.detachNewThread { completionHandler(.allow) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { note("data") }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) { note("metrics") }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    note("completed")
    completed.send()
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    note("invalid")
    completed.send()
  }
}
