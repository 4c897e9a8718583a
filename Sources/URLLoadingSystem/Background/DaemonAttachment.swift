import BackgroundTransfers
import LoadingModel

/// How a background session is attached to the daemon, and what follows from its answers and its ends. A value: `BackgroundSession` connects.
///
///     attaching --attached--> attached --link ends--> attaching …
///        |                        |
///        +------> failed          +------> ended
struct DaemonAttachment {
  enum Phase {
    /// Connecting for the first time, or again after the daemon has ended.
    case attaching
    /// The link to the daemon; what is sent on it arrives in order.
    case attached(MessageLink)
    /// The session can't be used: there is no daemon, or another process has the session.
    case failed(LoadError)
    case ended
  }

  /// How far the first attachment is.
  enum Beginning: Int, Comparable {
    case waiting
    /// The daemon has answered, or can't: identifiers of new tasks are known.
    case attached
    /// It has told everything that happened before, or can't. What it tells later of unknown tasks isn't of an earlier process.
    case settled

    static func < (one: Beginning, other: Beginning) -> Bool { one.rawValue < other.rawValue }
  }

  /// What follows from the end of a link.
  enum Loss: Equatable {
    /// The link isn't the session's any more.
    case none
    case reconnect(after: Double)
    /// The daemon ends as soon as it is started.
    case hopeless
  }

  /// How often the daemon may end before it has answered once.
  private static let attempts = 5
  /// How many older daemons are asked to end: a service manager may start the same one again.
  private static let largestTakeovers = 2

  private(set) var phase = Phase.attaching
  /// How far the first attachment is; the groups that wait for it are left once each.
  private(set) var beginning = Beginning.waiting
  /// The link on which the daemon hasn't answered yet.
  private(set) var asked: MessageLink?
  /// Whether a thread of the app's has waited for the daemon in vain; until it answers no other one waits.
  var hasGivenUp = false
  /// Links that have ended without the daemon having told everything.
  private var failures = 0
  /// How many daemons of older versions were asked to end.
  private var takeovers = 0

  /// What leads to the daemon; nil while there is none, or no more.
  var link: MessageLink? {
    if case .attached(let link) = phase { link } else { nil }
  }

  var isAttaching: Bool {
    if case .attaching = phase { true } else { false }
  }

  /// Whether the session neither failed nor ended.
  var isInUse: Bool {
    switch phase {
    case .attaching, .attached: true
    case .failed, .ended: false
    }
  }

  /// Why the session can't be used; nil if it can.
  var failure: LoadError? {
    if case .failed(let error) = phase { error } else { nil }
  }

  /// A daemon is asked to attach the session.
  mutating func ask(on link: MessageLink) { asked = link }

  /// The daemon has answered on `link`.
  ///
  /// - Returns: false if the session isn't attaching any more.
  mutating func answered(on link: MessageLink) -> Bool {
    guard isAttaching else { return false }
    (phase, asked, hasGivenUp) = (.attached(link), nil, false)
    return true
  }

  /// It has told everything from before.
  mutating func caughtUp() { failures = 0 }

  /// The daemon has ended, or was killed.
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

  /// - Returns: Whether a daemon of an older version is to be asked to end.
  mutating func takeOver() -> Bool {
    if case .attached = phase { return false }
    takeovers += 1
    return takeovers <= DaemonAttachment.largestTakeovers
  }

  mutating func fail(_ error: LoadError) { phase = .failed(error) }

  mutating func end() { phase = .ended }

  /// - Returns: Whether it wasn't so far.
  mutating func advance(to beginning: Beginning) -> Bool {
    defer { self.beginning = max(self.beginning, beginning) }
    return self.beginning < beginning
  }
}
