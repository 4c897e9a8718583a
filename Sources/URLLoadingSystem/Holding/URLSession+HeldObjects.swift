import Foundation
import LoadingModel

extension URLSession {
  /// Something that loading holds and the app seems to have forgotten: a session with a delegate that was never invalidated, a task that was
  /// never resumed, an answer that a delegate never gave, a body that isn't read, an observation of what has ended.
  ///
  /// An addition; Apple's system has no such list.
  public struct HeldObject: Sendable, Codable, Hashable, CustomStringConvertible {
    /// What it is.
    public enum Kind: String, Sendable, Codable, CaseIterable {
      /// A session with a delegate that hasn't been invalidated and has nothing to do.
      case session
      /// A task that hasn't been resumed.
      case task
      /// A delegate method with a completion handler, or an async one, that hasn't answered.
      case answer
      /// The bytes of a response of which some wait, and that nothing reads at the moment.
      case body
      /// An observation of a task or session that has ended.
      case observation
    }

    /// What it is.
    public let kind: Kind
    /// Its type, and what tells it from others of the type: "URLSession with delegate Shop.Client", "URLSessionDataTask 3".
    public let name: String
    /// Seconds since it was made.
    public let age: TimeInterval
    /// True if nothing but loading itself, or a cycle, refers to it: it can't be used any more, and is never released. False if something
    /// else does, which may use it still.
    public let isLeaked: Bool
    /// What holds what, along the references: "URLSession → delegate: Shop.Client → session".
    public let holders: [String]
    /// What to do about it.
    public let remedy: String
    /// The functions that made it, the innermost first, as "name (file+offset)"; empty unless that was noted
    /// (`URLSession.recordsHeldObjects`).
    public let place: [String]

    /// Some lines of text.
    public var description: String {
      let seconds = age < 10 ? String(format: "%.1f", age) : String(Int(min(age, 1e15)))
      let lines = ["\(name), \(seconds) s old"] + holders.map { "   \($0)" } + ["   \(remedy)"]
      return (lines + place.enumerated().map { $0.offset == 0 ? "   made by \($0.element)" : "           \($0.element)" })
        .joined(separator: "\n")
    }
  }

  /// What the sessions of this process hold at the moment and the app seems to have forgotten; leaked ones first.
  ///
  /// To find what refers to a session, the properties of its delegate are read, on the delegate queue; a queue that doesn't get to it within
  /// a second is left alone. Sessions without a delegate are released by themselves and aren't listed, nor is `shared`. Answers and
  /// observations are known only from the time on at which `recordsHeldObjects` was set.
  public static func heldObjects() -> [HeldObject] { HeldSearch(scope: nil).run() }

  /// Whether it is noted where sessions and tasks are made, which answers delegates owe, and which observations there are, for
  /// `heldObjects()`. Default: true if the environment variable `URL_LOADING_SYSTEM_LEAKS` asks for a report at exit, else false.
  ///
  /// It costs some microseconds for each of them.
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
  /// What is held of it.
  package var heldObjects: [URLSession.HeldObject] { HeldSearch(scope: self).run() }
}
