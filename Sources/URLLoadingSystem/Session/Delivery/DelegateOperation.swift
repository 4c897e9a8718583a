import Foundation

/// An operation that makes calls of a delegate. It can't be cancelled: the calls behind it would never be made, since each operation adds the next.
///
/// An app that cancels all operations of its queue means its own.
final class DelegateOperation: Operation, @unchecked Sendable {
  // @unchecked: the one stored property is immutable; what `Operation` stores is thread-safe.
  let call: @Sendable () -> Void

  init(_ call: @escaping @Sendable () -> Void) { self.call = call }

  override func main() { call() }

  override func cancel() {}
}
