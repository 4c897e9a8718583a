import Foundation
import LoadingModel
import URLLoadingSystem
import URLLoadingTestKit

/// Writes down, for each task, what it was told in which order.
final class OrderKeeper: NSObject, URLSessionDataDelegate {
  struct Record: Sendable {
    var body = Data()
    var order = ""
  }

  let allCompleted = Signal()
  let invalidated = Signal()
  private let state = Mutex<[Int: Record]>([:])
  private let expected: Int

  init(expecting count: Int) { expected = count }

  var records: [Int: Record] { state.withLock { $0 } }

  private func note(_ task: URLSessionTask, _ event: String, _ data: Data = Data()) {
    state.withLock { state in
      state[task.taskIdentifier, default: Record()].body += data
      let order = state[task.taskIdentifier, default: Record()].order
      if !order.hasSuffix(event) { state[task.taskIdentifier, default: Record()].order = order.isEmpty ? event : "\(order),\(event)" }
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    note(dataTask, "response")
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { note(dataTask, "data", data) }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    note(task, "metrics")
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    note(task, "completed")
    let isLast = state.withLock { state in state.values.filter { $0.order.hasSuffix("completed") }.count == expected }
    if isLast { allCompleted.send() }
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { invalidated.send() }
}
