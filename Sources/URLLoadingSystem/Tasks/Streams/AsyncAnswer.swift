import HTTPTransport
import LoadingModel

/// One answer that an async caller waits for; it is given on the event loop, and the caller is resumed on another thread.
final class AsyncAnswer<Value: Sendable>: Sendable {
  private enum State {
    case open
    case waiting(UnsafeContinuation<Result<Value, LoadError>, Never>)
    case given(Result<Value, LoadError>)
  }

  private let executor: LoopExecutor?
  private let state = Mutex(State.open)

  init(executor: LoopExecutor?) { self.executor = executor }

  /// Calls `ask`, which starts the question, and waits until `give` is called.
  func wait(_ ask: () -> Void) async -> Result<Value, LoadError> {
    ask()
    return await withUnsafeContinuation { continuation in
      let known = state.withLock { state -> Result<Value, LoadError>? in
        if case .given(let result) = state { return result }
        state = .waiting(continuation)
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  func give(_ result: Result<Value, LoadError>) {
    let waiting = state.withLock { state -> UnsafeContinuation<Result<Value, LoadError>, Never>? in
      guard case .waiting(let continuation) = state else {
        state = .given(result)
        return nil
      }
      state = .given(result)
      return continuation
    }
    guard let waiting else { return }
    guard let executor else { return waiting.resume(returning: result) }
    executor.runOffLoop { waiting.resume(returning: result) }
  }
}
