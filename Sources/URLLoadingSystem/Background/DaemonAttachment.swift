import BackgroundTransfers
import LoadingModel

/// The connection of a background session to the daemon as a state machine. A value type that only decides; `BackgroundSession` connects.
///
///     attaching --attached--> attached --link ends--> attaching …
///        |                        |
///        +------> failed          +------> ended
struct DaemonAttachment {
  enum Phase {
    /// Connecting for the first time, or again after the daemon has ended.
    case attaching
    /// Connected to a daemon that has accepted the session; messages sent on the link arrive in order.
    case attached(MessageLink)
    /// The session can't be used: there is no daemon, or another process has the session.
    case failed(LoadError)
    case ended
  }

  /// The progress of the first attachment, until the session knows its tasks and events of earlier processes.
  enum Beginning: Int, Comparable {
    case waiting
    /// The daemon has answered, or the session has failed: identifiers of new tasks are known.
    case attached
    /// The daemon has sent everything from before, or the session has failed. Unknown tasks that are reported later aren't of earlier processes.
    case settled

    static func < (one: Beginning, other: Beginning) -> Bool { one.rawValue < other.rawValue }
  }

  /// What to do after a connection to the daemon has ended.
  enum Loss: Equatable {
    /// Nothing: the session uses another connection, or none any more.
    case none
    case reconnect(after: Double)
    /// Fail the session: the daemon exits each time as soon as it is started.
    case hopeless
  }

  /// How many times the daemon may exit before it has answered once; then the session fails.
  private static let attempts = 5
  /// How many times an older daemon is asked to exit; limited because a service manager may start the same version again.
  private static let largestTakeovers = 2

  private(set) var phase = Phase.attaching
  /// The progress of the first attachment; it only moves forward.
  private(set) var beginning = Beginning.waiting
  /// The connection on which the daemon hasn't answered yet; nil if there is none.
  private(set) var asked: MessageLink?
  /// Whether a thread of the app's has waited for the daemon in vain: until it answers, other threads don't wait.
  var hasGivenUp = false
  /// The number of connections in a row that have ended before the daemon had sent everything.
  private var failures = 0
  /// How many times an older daemon has been asked to exit.
  private var takeovers = 0

  /// The connection to a daemon that has accepted the session; nil while there is none.
  var link: MessageLink? {
    if case .attached(let link) = phase { link } else { nil }
  }

  var isAttaching: Bool {
    if case .attaching = phase { true } else { false }
  }

  /// Whether the session has neither failed nor ended.
  var isInUse: Bool {
    switch phase {
    case .attaching, .attached: true
    case .failed, .ended: false
    }
  }

  /// The error because of which the session can't be used; nil if it can.
  var failure: LoadError? {
    if case .failed(let error) = phase { error } else { nil }
  }

  /// Notes that the request to attach has been sent on `link`.
  mutating func ask(on link: MessageLink) { asked = link }

  /// Notes that the daemon has accepted the session on `link`.
  ///
  /// - Returns: false if the session isn't waiting for that any more, because it has failed or ended.
  mutating func answered(on link: MessageLink) -> Bool {
    guard isAttaching else { return false }
    (phase, asked, hasGivenUp) = (.attached(link), nil, false)
    return true
  }

  /// Notes that the daemon has sent everything from before: later losses of the connection count from 0.
  mutating func caughtUp() { failures = 0 }

  /// Handles the end of a connection, because the daemon has exited or was killed.
  mutating func lost(_ link: MessageLink) -> Loss {
    if asked === link { asked = nil }
    switch phase {
    case .attached(let current):
      guard current === link else { return .none }
      phase = .attaching
    case .attaching: break
    case .failed, .ended: return .none
    }
    failures += 1
    if beginning == .waiting && failures > DaemonAttachment.attempts { return .hopeless }
    return .reconnect(after: failures == 1 ? 0 : min(Double(failures), 30))
  }

  /// Called when a daemon of an older version refuses the session.
  /// - Returns: Whether to ask that daemon to exit.
  mutating func takeOver() -> Bool {
    if case .attached = phase { return false }
    takeovers += 1
    return takeovers <= DaemonAttachment.largestTakeovers
  }

  mutating func fail(_ error: LoadError) { phase = .failed(error) }

  mutating func end() { phase = .ended }

  /// Moves the first attachment forward.
  /// - Returns: Whether it hadn't got that far before.
  mutating func advance(to beginning: Beginning) -> Bool {
    defer { self.beginning = max(self.beginning, beginning) }
    return self.beginning < beginning
  }
}
