#if TestKit
  import Foundation
  import LoadingModel
  import URLLoadingSystem

  /// A delegate that counts what it is told. Called on a session's delegate queue, asked from anywhere: its state is behind a mutex.
  final class LoadObserver: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
      var bytes = 0
      var pieces = 0
      var redirects: [String] = []
      var metrics: URLSessionTaskMetrics?
      var suspendsAfter = Int.max
      var suspension: CheckedContinuation<Void, Never>?
      var hasSuspended = false
      var ending: CheckedContinuation<Void, any Error>?
    }

    private let state = Mutex(State())

    /// Body bytes so far.
    var bytes: Int { state.withLock { $0.bytes } }
    /// In how many calls they came.
    var pieces: Int { state.withLock { $0.pieces } }
    /// The redirects, in words.
    var redirects: [String] { state.withLock { $0.redirects } }
    /// The metrics, once they are there.
    var metrics: URLSessionTaskMetrics? { state.withLock { $0.metrics } }

    /// Bytes after which the task is suspended, once.
    var suspendsAfter: Int {
      get { state.withLock { $0.suspendsAfter } }
      set { state.withLock { $0.suspendsAfter = newValue } }
    }

    /// Runs `task` to its end. Cancelling the caller cancels it.
    func run(_ task: URLSessionDataTask) async throws {
      task.delegate = self
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          state.withLock { $0.ending = continuation }
          task.resume()
        }
      } onCancel: {
        task.cancel()
      }
    }

    /// Returns once the task has been suspended, or has ended.
    func hasSuspended() async throws {
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          if !state.hasSuspended { state.suspension = continuation }
          return state.hasSuspended
        }
        if isThere { continuation.resume() }
      }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let reached = state.withLock { state in
        state.bytes += data.count
        state.pieces += 1
        return state.bytes >= state.suspendsAfter && !state.hasSuspended
      }
      guard reached else { return }
      dataTask.suspend()
      noteSuspension()
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
    ) async -> URLRequest? {
      let hop = "\(response.statusCode) from \(response.url?.path ?? "-") to \(request.url?.path ?? "-")"
      state.withLock { $0.redirects.append(hop) }
      return request
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
      state.withLock { $0.metrics = metrics }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      noteSuspension()
      let ending = state.withLock { state in
        defer { state.ending = nil }
        return state.ending
      }
      if let error { ending?.resume(throwing: error) } else { ending?.resume() }
    }

    private func noteSuspension() {
      let waiting = state.withLock { state in
        state.hasSuspended = true
        defer { state.suspension = nil }
        return state.suspension
      }
      waiting?.resume()
    }
  }
#endif
