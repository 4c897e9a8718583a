import Foundation
import LoadingModel
import URLLoadingSystem
import URLLoadingTestKit

/// Written with the async spellings.
final class AsyncDelegate: NSObject, URLSessionDataDelegate {
  private let disposition: URLSession.ResponseDisposition
  private let completed = Signal()
  private let state = Mutex<(events: [String], code: Int?)>(([], nil))

  init(_ disposition: URLSession.ResponseDisposition) { self.disposition = disposition }

  var events: [String] { state.withLock { $0.events } }

  func completion() async -> Int? {
    await completed.wait()
    return state.withLock { $0.code }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
  ) async -> URLRequest? {
    await Task.yield()
    state.withLock { $0.events.append("redirect") }
    var changed = request
    changed.setValue("1", forHTTPHeaderField: "X-Changed")
    return changed
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition {
    await Task.yield()
    state.withLock { $0.events.append("response") }
    return disposition
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    state.withLock { $0.events.append("data") }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    state.withLock { $0.code = (error as NSError?)?.code }
    completed.send()
  }
}
