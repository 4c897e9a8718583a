import HTTPTransport
import LoadingModel

/// A question to the app that the load waits for, unless it is interrupted. One question, one answer.
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

  /// The app's answer; from any thread, the first counts.
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
      // A legal race: the app answers and the load is cancelled at once.
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

  /// Asks through `ask` and waits. Throws what interrupted the load.
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

  /// Waits for room or for the end of what others write to a disk; `ask` registers the wait with them. As `disk` otherwise.
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

  /// Waits for `work`, which waits for a disk, beside the load: a disk that hangs must not hold up the load's end. What comes too late is
  /// let go, which closes files.
  package static func disk(
    _ context: LoadContext, _ work: @escaping @Sendable () async -> Value
  ) async throws(LoadError) -> Value {
    try await room(onDisk: context) { wait in Task { wait.answer(await work()) } }
  }
}

extension LoadContext {
  /// Lets time pass before the load tries again.
  func pause(seconds: Double) async throws(LoadError) {
    try await AppWait<Void>.ask(self) { wait in
      clock.wake(at: clock.now.advanced(bySeconds: seconds)) { wait.answer(()) }
    }
  }
}
