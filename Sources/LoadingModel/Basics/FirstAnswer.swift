/// Returns the first value that `ask` passes to its completion handler; later ones are ignored.
///
/// For functions that an app's class may override: if the handler is called twice, the process must not end, as it would with the standard
/// library's checked continuation. If it is never called, the caller waits forever.
package func firstAnswer<Value: Sendable>(_ ask: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
  await withUnsafeContinuation { continuation in
    let answer = PendingAnswer(continuation)
    ask { answer.give($0) }
  }
}

/// The suspended caller of `firstAnswer`, which the first value resumes. Thread-safe.
private final class PendingAnswer<Value: Sendable>: Sendable {
  private let continuation: Mutex<UnsafeContinuation<Value, Never>?>

  init(_ continuation: UnsafeContinuation<Value, Never>) { self.continuation = Mutex(continuation) }

  func give(_ value: Value) {
    let waiting = continuation.withLock { $0.take() }
    waiting?.resume(returning: value)
  }
}
