import Foundation
import LoadingModel
import URLLoadingSystem

/// Writes down each response with the data that follows it.
final class PartRecorder: NSObject, URLSessionDataDelegate {
  struct Part: Sendable {
    let type: String?
    let length: Int64
    let status: Int?
    let whole: String?
    let url: URL?
    var data = Data()
  }

  private let state = Mutex<(parts: [Part], code: Int?)>(([], nil))
  private let ended = Signal()
  private let answer: @Sendable (Int) -> URLSession.ResponseDisposition

  /// - Parameter answer: To the response of this number, counted from 1.
  init(_ answer: @escaping @Sendable (Int) -> URLSession.ResponseDisposition = { _ in .allow }) { self.answer = answer }

  var parts: [Part] { state.withLock { $0.parts } }

  /// The code of the task's error, once it has ended.
  func completion() async -> Int? {
    await ended.wait()
    return state.withLock { $0.code }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let http = response as? HTTPURLResponse
    let part = Part(
      type: response.mimeType, length: response.expectedContentLength, status: http?.statusCode,
      whole: http?.value(forHTTPHeaderField: "X-Whole"), url: response.url)
    let count = state.withLock { state in
      state.parts.append(part)
      return state.parts.count
    }
    completionHandler(answer(count))
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    state.withLock { $0.parts[$0.parts.count - 1].data += data }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    state.withLock { $0.code = (error as NSError?)?.code }
    ended.send()
  }
}
