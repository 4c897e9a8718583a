import HTTPTransport
import LoadingModel

/// One question to the app (or to a disk) whose answer the load waits for, unless it is interrupted.
package final class AppWait<Value: Sendable>: Interruptible, @unchecked Sendable {
  // @unchecked: `state`, the only stored property, is a mutex.
  private enum State {
    case asked
    case waiting(UnsafeContinuation<Value?, Never>)
    case answered(Value?)
    case over
  }

  private let state = Mutex(State.asked)

  package init() {}

  /// Gives the app's answer; from any thread. Only the first answer counts.
  package func answer(_ value: Value) { settle(value) }

  package func interrupt(_ error: LoadError) { settle(nil) }

  package func suspensionEnded() {}

  private func settle(_ value: sending Value?) {
    let continuation = state.withLock { state -> UnsafeContinuation<Value?, Never>? in
      switch state {
      case .asked:
        state = .answered(value)
        return nil
      case .waiting(let continuation):
        state = .over
        return continuation
      // The app's answer and the interruption of the load can come at the same moment, on two threads: the one that is first ends the wait, and
      // the second is ignored.
      case .answered, .over: return nil
      }
    }
    continuation?.resume(returning: value)
  }

  private func value() async -> Value? {
    await withUnsafeContinuation { continuation in
      let known = state.withLock { state -> Value?? in
        switch state {
        case .answered(let value):
          state = .over
          return .some(value)
        case .asked, .waiting, .over:
          state = .waiting(continuation)
          return nil
        }
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// Calls `ask` with a new wait, and waits for its answer. Throws the error that interrupted the load.
  package static func ask(
    _ context: LoadContext, _ ask: (AppWait<Value>) -> Void
  ) async throws(LoadError) -> Value {
    try context.checkpoint()
    let wait = AppWait()
    let previous = context.beginAppWait(wait)
    ask(wait)
    let value = await wait.value()
    context.endAppWait(restoring: previous)
    try context.checkpoint()
    guard let value else { throw .cancelled() }
    return value
  }

  /// Waits until a disk has room for more, or has been written to by other threads; `ask` registers the wait with them. Otherwise as `disk`.
  package static func room(
    onDisk context: LoadContext, _ ask: (AppWait<Value>) -> Void
  ) async throws(LoadError) -> Value {
    try context.checkpoint()
    let wait = AppWait()
    let previous = context.beginDiskWait(wait)
    ask(wait)
    let value = await wait.value()
    context.endDiskWait(restoring: previous)
    try context.checkpoint()
    guard let value else { throw .cancelled() }
    return value
  }

  /// Waits for `work`, which itself waits for a disk, in another Swift task: a disk that hangs must not hold up the end of the load. A value that
  /// comes too late is released, which closes its files.
  package static func disk(
    _ context: LoadContext, _ work: @escaping @Sendable () async -> Value
  ) async throws(LoadError) -> Value {
    try await room(onDisk: context) { wait in Task { wait.answer(await work()) } }
  }
}

extension LoadContext {
  /// Waits for some seconds, for instance before the load is tried again.
  func pause(seconds: Double) async throws(LoadError) {
    try await AppWait<Void>.ask(self) { wait in
      clock.wake(at: clock.now.advanced(bySeconds: seconds)) { wait.answer(()) }
    }
  }
}
