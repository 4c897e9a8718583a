import Foundation
import LoadingModel

/// What became of a question put to one delegate.
enum DelegateAnswer<Value> {
  case notImplemented
  case answered(Value)
}

extension DelegateAnswer: Sendable where Value: Sendable {}

/// A value that one side hands over and never touches again.
struct Transferred<Value>: @unchecked Sendable {
  // @unchecked: the giver keeps no use of the value, so only one side at a time reaches it.
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// The answer a delegate still owes, behind the completion handler it was given.
///
/// Owned by that handler alone; any thread. The first answer counts. A second one is ignored, and a handler that is dropped uncalled gives
/// the declining answer, so that no load waits forever; either mistake is reported on standard error.
final class PendingAnswer<Value>: Sendable {
  private let method: DelegateMethod
  private let declined: @Sendable () -> Value
  private let receiver: Mutex<(@Sendable (DelegateAnswer<Value>) -> Void)?>
  /// Under which number it is noted that the answer is owed, where that is noted.
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

  /// Takes the receiver back: an answer isn't expected any more.
  func withdraw() -> (@Sendable (DelegateAnswer<Value>) -> Void)? {
    HeldRecording.forget(note)
    return receiver.withLock { $0.take() }
  }

  private func report(_ mistake: String) {
    FileHandle.standardError.write(Data("URLLoadingSystem: the completion handler of the delegate method \(method) \(mistake)\n".utf8))
  }
}
