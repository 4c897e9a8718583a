import Foundation
import Measuring
import Synchronization

#if FOUNDATION_NETWORKING_PEER
  import FoundationNetworking
#else
  import URLLoadingSystem
#endif

/// Receives bodies in a session delegate, and either collects or drops the chunks.
struct DelegateLoader: Loader {
  let session: URLSession
  private let receiver: BodyReceiver

  init(configuration: URLSessionConfiguration, keepsBodies: Bool) {
    receiver = BodyReceiver(keepsBodies: keepsBodies)
    session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
  }

  func load(_ request: URLRequest) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      let task = session.dataTask(with: request)
      receiver.expect(task, continuation)
      task.resume()
    }
  }
}

/// The session's delegate, owned by the session. The delegate queue calls it; the workers add tasks from their own threads.
final class BodyReceiver: NSObject, URLSessionDataDelegate {
  /// An object, because a dictionary's value that is changed in place costs four allocations each time.
  private final class Load: @unchecked Sendable {
    // @unchecked: set before the task begins, and used on the delegate queue from then on.
    let continuation: CheckedContinuation<Int, any Error>
    var body = Data()
    var received = 0

    init(_ continuation: CheckedContinuation<Int, any Error>) { self.continuation = continuation }
  }

  private let keepsBodies: Bool
  private let loads = Mutex<[Int: Load]>([:])

  init(keepsBodies: Bool) {
    self.keepsBodies = keepsBodies
  }

  /// Resumes `continuation` with the body's length, or with an error, when `task` ends.
  func expect(_ task: URLSessionTask, _ continuation: CheckedContinuation<Int, any Error>) {
    loads.withLock { $0[task.taskIdentifier] = Load(continuation) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard let load = loads.withLock({ $0[dataTask.taskIdentifier] }) else { return }
    load.received += data.count
    // The first piece is kept as it is.
    if keepsBodies { if load.body.isEmpty { load.body = data } else { load.body.append(data) } }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let load = loads.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    load.continuation.resume(
      with: Result {
        if let error { throw error }
        try requireSuccess(task.response)
        return load.received
      })
  }
}
