import Foundation
import LoadingModel

import struct Synchronization.Atomic

/// Records, for leak reports, where sessions, tasks and observations were made, and which delegate questions and observations are open.
///
/// One for the process; thread-safe. It is off by default, and then costs the load of one number.
enum HeldRecording {
  /// How many times recording has been turned on and not off again, by scopes and by `recordsHeldObjects`.
  private static let wanted = Atomic(0)

  /// Whether recording is on from the start, because the environment asks for a report at exit.
  private static let isOnFromStart = destination != nil

  static let variable = "URL_LOADING_SYSTEM_LEAKS"

  /// The file to which this process's report is written, or "-" for standard error; nil for no report. The environment is read once.
  static let destination = destination(ProcessEnvironment.value(variable))

  /// Parses the environment variable: a file, "-" for standard error, or nil if no report is wanted.
  /// - Parameter wish: The variable's value; nil if it isn't set.
  static func destination(_ wish: String?) -> String? {
    guard let wish, !ProcessEnvironment.isOff(wish) else { return nil }
    return ["1", "on", "true", "yes", "stderr"].contains(wish) ? "-" : wish
  }

  static var isOn: Bool { wanted.load(ordering: .relaxed) > 0 || isOnFromStart }

  static func begin() { wanted.add(1, ordering: .relaxed) }
  static func end() { wanted.subtract(1, ordering: .relaxed) }

  /// The caller's call stack; nil while recording is off.
  static var place: CallPlace? { isOn ? CallPlace() : nil }

  // MARK: Open questions and observations, which can't be found from the sessions

  /// A call of a delegate method whose completion handler the delegate hasn't called yet.
  struct Question: Sendable {
    let method: String
    let delegate: ObjectIdentifier
    let delegateType: String
    let since: Date
    let isAsync: Bool
  }

  /// A key-value observation that hasn't been ended.
  struct Observation: Sendable {
    let path: String
    let objectType: String
    let scope: HeldScope?
    /// Whether the observed object is gone or completed, so that it won't change any more.
    let isOver: @Sendable () -> Bool
    let since: Date
    let place: CallPlace
  }

  private struct Notes {
    var next = 0
    var questions: [Int: Question] = [:]
    var observations: [Int: Observation] = [:]
  }

  private static let notes = Mutex(Notes())

  static var questions: [Question] { notes.withLock { $0.questions }.sorted { $0.key < $1.key }.map(\.value) }
  static var observations: [Observation] { notes.withLock { $0.observations }.sorted { $0.key < $1.key }.map(\.value) }

  /// Records a delegate's open question; returns a number to pass to `forget` when it is answered, or nil while recording is off.
  static func note(_ method: some Sendable, to delegate: AnyObject, isAsync: Bool) -> Int? {
    guard isOn else { return nil }
    let question = Question(
      method: "\(method)", delegate: ObjectIdentifier(delegate), delegateType: String(reflecting: type(of: delegate)), since: Date(),
      isAsync: isAsync)
    return notes.withLock { notes in
      notes.next += 1
      notes.questions[notes.next] = question
      return notes.next
    }
  }

  /// Records an observation of `object`; returns a number to pass to `forget` when it ends, or nil while recording is off.
  static func noteObservation<Object: AnyObject & Sendable>(
    of path: AnyKeyPath, _ object: Object, isOver: @escaping @Sendable (Object) -> Bool
  ) -> Int? {
    guard isOn else { return nil }
    let type = String(describing: type(of: object))
    let observation = Observation(
      path: "\(path)", objectType: type, scope: HeldScope.current, isOver: { [weak object] in object.map(isOver) ?? true }, since: Date(),
      place: CallPlace())
    return notes.withLock { notes in
      notes.next += 1
      notes.observations[notes.next] = observation
      return notes.next
    }
  }

  static func forget(_ number: Int?) {
    guard let number else { return }
    // The record may hold the last reference to one of the app's objects, whose deinit must not run under the lock.
    let past = notes.withLock { ($0.questions.removeValue(forKey: number), $0.observations.removeValue(forKey: number)) }
    withExtendedLifetime(past) {}
  }
}
