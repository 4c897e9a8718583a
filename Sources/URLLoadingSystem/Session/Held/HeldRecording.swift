import Foundation
import LoadingModel

import struct Synchronization.Atomic

/// What is noted of sessions, tasks, questions and observers while it is wanted: where they were made, and what has no owner to be found by.
///
/// One for the process, any thread. Off, which is the default, it costs a look at a number.
enum HeldRecording {
  /// How many want it.
  private static let wanted = Atomic(0)

  /// On from the start where the environment asks for a report at exit.
  private static let isOnFromStart = destination != nil

  static let variable = "URL_LOADING_SYSTEM_LEAKS"

  /// Where this process's report goes. Read once.
  static let destination = destination(ProcessEnvironment.value(variable))

  /// A file, or "-" for standard error; nil if no report is wanted.
  /// - Parameter wish: The variable's value.
  static func destination(_ wish: String?) -> String? {
    guard let wish, !ProcessEnvironment.isOff(wish) else { return nil }
    return ["1", "on", "true", "yes", "stderr"].contains(wish) ? "-" : wish
  }

  static var isOn: Bool { wanted.load(ordering: .relaxed) > 0 || isOnFromStart }

  static func begin() { wanted.add(1, ordering: .relaxed) }
  static func end() { wanted.subtract(1, ordering: .relaxed) }

  /// Where the caller makes something; nil while that isn't noted.
  static var place: CallPlace? { isOn ? CallPlace() : nil }

  // MARK: what can't be found from the sessions

  /// A question that a delegate hasn't answered yet.
  struct Question: Sendable {
    let method: String
    let delegate: ObjectIdentifier
    let delegateType: String
    let since: Date
    let isAsync: Bool
  }

  /// An observation that hasn't ended.
  struct Observation: Sendable {
    let path: String
    let objectType: String
    let scope: HeldScope?
    /// Whether nothing will change any more.
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

  /// Notes a question until `forget` gets the number; nil while nothing is noted.
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

  /// Notes an observation of `object` until `forget` gets the number; nil while nothing is noted.
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
    // What an observation's closure holds may be the app's: it is released without the lock.
    let past = notes.withLock { ($0.questions.removeValue(forKey: number), $0.observations.removeValue(forKey: number)) }
    withExtendedLifetime(past) {}
  }
}
