import Foundation
import LoadingModel

/// The result of asking one delegate: its answer, or that it doesn't implement the method.
enum DelegateAnswer<Value> {
  case notImplemented
  case answered(Value)
}

extension DelegateAnswer: Sendable where Value: Sendable {}

/// A value that isn't Sendable and is handed from one thread to another, whose giver doesn't use it afterwards.
struct Transferred<Value>: @unchecked Sendable {
  // @unchecked: the giver doesn't use the value after handing it over, so only one thread at a time reaches it.
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// Waits for the answer that a delegate gives by calling its completion handler.
///
/// Owned by that handler alone; thread-safe. Only the first answer counts. If the handler is released without having been called, the declining
/// answer is given, so that no load waits forever. That and a second call are reported on standard error.
final class PendingAnswer<Value>: Sendable {
  private let method: DelegateMethod
  private let declined: @Sendable () -> Value
  private let receiver: Mutex<(@Sendable (DelegateAnswer<Value>) -> Void)?>
  /// The number of the open question in `HeldRecording`; nil while recording is off.
  private let note: Int?

  init(
    _ method: DelegateMethod, of delegate: any URLSessionDelegate, declined: @escaping @Sendable () -> Value,
    receiver: @escaping @Sendable (DelegateAnswer<Value>) -> Void
  ) {
    self.method = method
    self.declined = declined
    self.receiver = Mutex(receiver)
    note = HeldRecording.note(method, to: delegate, isAsync: false)
  }

  deinit {
    guard let receiver = withdraw() else { return }
    report("was released without being called; the load takes it for a refusal. Call it exactly once.")
    receiver(.answered(declined()))
  }

  func resolve(_ value: Value) {
    guard let receiver = withdraw() else {
      return report("was called more than once; only the first answer counts.")
    }
    receiver(.answered(value))
  }

  /// Removes and returns the receiver, because the answer has come or isn't needed any more; nil if that was done before.
  func withdraw() -> (@Sendable (DelegateAnswer<Value>) -> Void)? {
    HeldRecording.forget(note)
    return receiver.withLock { $0.take() }
  }

  private func report(_ mistake: String) {
    FileHandle.standardError.write(Data("URLLoadingSystem: the completion handler of the delegate method \(method) \(mistake)\n".utf8))
  }
}
