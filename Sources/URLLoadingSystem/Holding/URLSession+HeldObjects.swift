import Foundation
import LoadingModel

extension URLSession {
  /// An object that loading holds and that the app seems to have forgotten: a session with a delegate that was never invalidated, a task that was
  /// never resumed, an answer that a delegate never gave, a body that isn't read, an observation of an object that has ended.
  ///
  /// An addition; Apple's API has no such list.
  public struct HeldObject: Sendable, Codable, Hashable, CustomStringConvertible {
    /// Which of the five kinds of held objects it is.
    public enum Kind: String, Sendable, Codable, CaseIterable {
      /// A session with a delegate that hasn't been invalidated and has nothing to do.
      case session
      /// A task that hasn't been resumed.
      case task
      /// A delegate method, with a completion handler or `async`, that hasn't answered yet.
      case answer
      /// The bytes of a response: some have arrived, and no reader waits for them.
      case body
      /// An observation of a task or session that has ended, so that it won't change any more.
      case observation
    }

    /// Which of the five kinds of held objects it is.
    public let kind: Kind
    /// The object's type, and details that identify it: "URLSession with delegate Shop.Client", "URLSessionDataTask 3".
    public let name: String
    /// Seconds since the object was made.
    public let age: TimeInterval
    /// Whether only loading itself, or a reference cycle, refers to the object: then it can't be used any more, and is never released. false if
    /// something else refers to it, which may still use it.
    public let isLeaked: Bool
    /// The references that keep the object alive: "URLSession → delegate: Shop.Client → session".
    public let holders: [String]
    /// How to release the object, in a sentence.
    public let remedy: String
    /// The functions that made the object, the innermost first, as "name (file+offset)"; empty unless recording was on
    /// (`URLSession.recordsHeldObjects`).
    public let place: [String]

    /// The object in some lines of text: name, age, references, remedy and place.
    public var description: String {
      let seconds = age < 10 ? String(format: "%.1f", age) : String(Int(min(age, 1e15)))
      let lines = ["\(name), \(seconds) s old"] + holders.map { "   \($0)" } + ["   \(remedy)"]
      return (lines + place.enumerated().map { $0.offset == 0 ? "   made by \($0.element)" : "           \($0.element)" })
        .joined(separator: "\n")
    }
  }

  /// The objects that loading in this process holds now and that the app seems to have forgotten; leaked ones first.
  ///
  /// To find what refers to a session, the properties of its delegate are read on the delegate queue; if the queue doesn't run that within a second,
  /// they stay unknown. Queues without other work get 10 seconds, all together: a busy machine delays them. Sessions without a delegate are released by
  /// themselves and aren't listed, nor is `shared`. Open answers and observations are known only from the time at which `recordsHeldObjects` was set.
  public static func heldObjects() -> [HeldObject] { HeldSearch(scope: nil).run() }

  /// Whether it is recorded where sessions and tasks are made, which answers delegates haven't given, and which observations there are, for
  /// `heldObjects()`. Default: true if the environment variable `URL_LOADING_SYSTEM_LEAKS` asks for a report at exit, otherwise false.
  ///
  /// Recording costs some microseconds for each of them.
  public static var recordsHeldObjects: Bool {
    get { HeldRecording.isOn }
    set {
      let change = isRecordingByApp.withLock { present in
        defer { present = newValue }
        return present != newValue
      }
      guard change else { return }
      if newValue { HeldRecording.begin() } else { HeldRecording.end() }
    }
  }

  private static let isRecordingByApp = Mutex(false)
}

extension HeldScope {
  /// The held objects among the sessions that were made in this scope.
  package var heldObjects: [URLSession.HeldObject] { HeldSearch(scope: self).run() }
}
