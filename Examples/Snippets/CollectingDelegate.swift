import Foundation
import URLLoadingSystem

/// Collects a body piece by piece and hands it over when the task is complete.
public final class CollectingDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // @unchecked: only the session's serial delegate queue touches the state.
  private var received = Data()
  private let completion: @Sendable (Result<Data, any Error>) -> Void

  public init(completion: @escaping @Sendable (Result<Data, any Error>) -> Void) {
    self.completion = completion
  }

  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    completionHandler((200...299).contains(status) ? .allow : .cancel)
  }

  public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    received.append(data)
  }

  public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    completion(error.map { .failure($0) } ?? .success(received))
  }
}
