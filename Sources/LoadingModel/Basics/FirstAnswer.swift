/// Waits for the first value that a function with a completion handler gives; later ones are ignored.
///
/// For functions that an app's class may override: a handler that is called twice must not end the process, as it would with the standard
/// library's checked continuation. One that is never called leaves the caller waiting.
package func firstAnswer<Value: Sendable>(_ ask: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
  await withUnsafeContinuation { continuation in
    let answer = PendingAnswer(continuation)
    ask { answer.give($0) }
  }
}

/// The caller of `firstAnswer`, until it has been answered. Thread-safe.
private final class PendingAnswer<Value: Sendable>: Sendable {
  private let continuation: Mutex<UnsafeContinuation<Value, Never>?>

  init(_ continuation: UnsafeContinuation<Value, Never>) { self.continuation = Mutex(continuation) }

  func give(_ value: Value) {
    let waiting = continuation.withLock { $0.take() }
    waiting?.resume(returning: value)
  }
}
