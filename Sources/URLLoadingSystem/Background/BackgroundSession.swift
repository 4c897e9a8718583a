import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation
import LoadingModel

/// The app's side of a background session: its tasks mirror transfers of the daemon, to which it tells what the app does with them.
///
///     attaching --attached--> attached --link ends--> attaching …
///        |                        |
///        +------> failed          +------> ended
///
/// Owned by its `URLSession`; thread-safe. Data tasks aren't its concern: they run in the app's process.
final class BackgroundSession: Sendable {
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

  struct State {
    var phase = Phase.attaching
    weak var session: URLSession?
    /// The tasks that the daemon carries, and its events.
    var tasks = CarriedTable<URLSessionTask>()
    /// Where taken events are noted; nil before the first attachment.
    var journal: TakenJournalWriter?
    var missedEvents = 0
    /// How far the first attachment is; the groups that wait for it are left once each.
    var beginning = Beginning.waiting
    /// Whether the daemon has to be told that the session is cancelled, and hasn't said that it knows.
    var owesInvalidation = false
    /// Links that have ended without the daemon having told everything.
    var failures = 0
    /// The link on which the daemon hasn't answered yet.
    var asked: MessageLink?
    /// Whether a thread of the app's has waited for the daemon in vain; until it answers no other one waits.
    var hasGivenUp = false
    /// How many daemons of older versions were asked to end.
    var takeovers = 0
    /// Threads of the app's that wait for the daemon to come back.
    var waiters: [DispatchSemaphore] = []

    /// What leads to the daemon; nil while there is none, or no more.
    var link: MessageLink? {
      if case .attached(let link) = phase { link } else { nil }
    }
  }

  let identifier: String
  let terms: SessionTerms
  let state = Mutex(State())
  /// Entered until the daemon has answered, or can't: identifiers of new tasks are known then.
  let attachment = DispatchGroup()
  /// Entered until it has told everything that happened before, or can't.
  private let catchingUp = DispatchGroup()
  private let answersChallenges: Bool
  private let answersDelays: Bool
  private let hasDelegate: Bool

  init(_ configuration: URLSessionConfiguration, identifier: String, _ messages: DelegateMessages?) {
    self.identifier = identifier
    terms = SessionTerms(configuration, identifier: identifier)
    hasDelegate = messages != nil
    answersChallenges =
      messages.map { $0.mayImplement(.didReceiveTaskChallenge) || $0.mayImplement(.didReceiveSessionChallenge) } ?? false
    answersDelays = messages?.mayImplement(.willBeginDelayedRequest) ?? false
    attachment.enter()
    catchingUp.enter()
  }

  /// Begins to attach `session`, which is complete.
  func begin(for session: URLSession) {
    state.withLock { $0.session = session }
    guard hasDelegate else {
      return fail(
        LoadError(
          .unknown, .admission, "background sessions need a delegate, which is told of transfers that end while the app isn't running"))
    }
    claim()
  }

  private func claim() {
    switch BackgroundIdentifiers.claim(terms.key, for: self, then: { [weak self] in self?.claim() }) {
    case .taken: connect()
    // Its predecessor tells the daemon that it is cancelled, and is followed by this one.
    case .ending: break
    case .busy:
      fail(
        LoadError(
          .backgroundSessionInUseByAnotherProcess, .admission,
          "this process has a session with the identifier “\(identifier)” already; use that one, or invalidate it first"))
    }
  }

  /// Calls `action`, at once or on any thread, when the daemon has told for the first time what there is, or can't.
  func afterAttachment(_ action: @escaping @Sendable () -> Void) {
    if state.withLock({ $0.beginning == .settled }) { return action() }
    catchingUp.notify(queue: BackgroundSession.connecting, execute: action)
  }

  /// The session is no more, or has been invalidated. A cancellation that the daemon doesn't know yet is told before.
  func end() {
    enum Step {
      case none
      case linger
      case leave(MessageLink?)
    }
    let step: Step = state.withLock { state in
      state.tasks = CarriedTable()
      switch state.phase {
      case .failed, .ended: return .none
      case .attaching, .attached: break
      }
      if state.owesInvalidation { return .linger }
      defer { state.phase = .ended }
      return .leave(state.link)
    }
    wakeWaiters()
    switch step {
    case .none: break
    case .linger: BackgroundIdentifiers.keep(self, until: terms.key)
    case .leave(let link):
      settle()
      link?.closeAfterSending()
      BackgroundIdentifiers.release(terms.key, of: self)
    }
  }

  /// The daemon knows that the session is cancelled.
  func invalidationIsKnown() {
    let isOver = state.withLock { state in
      guard state.owesInvalidation else { return false }
      state.owesInvalidation = false
      return true
    }
    if isOver { end() }
  }

  // MARK: connecting

  /// Seconds in which the daemon must be started.
  private static let patience = 10.0
  /// Connecting blocks: it has threads of its own.
  static let connecting = DispatchQueue(label: "org.url-loading-system.background", attributes: .concurrent)

  private func connect() {
    BackgroundSession.connecting.async { [self] in
      guard isAttaching else { return }
      do throws(Refusal) {
        attach(try makeLink())
      } catch {
        connectingFailed(error)
      }
    }
  }

  private var isAttaching: Bool {
    state.withLock { state in
      if case .attaching = state.phase { true } else { false }
    }
  }

  private func makeLink() throws(Refusal) -> MessageLink {
    let places: BackgroundPlaces
    do { places = try BackgroundPlaces.standard() } catch { throw Refusal(.storage, "\(error)") }
    let starter = DaemonStarter(places: places, environment: ProcessEnvironment.variables)
    return try starter.connect(patience: BackgroundSession.patience)
  }

  private func attach(_ link: MessageLink) {
    let hello = Attachment(
      terms: terms, answersChallenges: answersChallenges, answersDelays: answersDelays,
      wasLaunched: BackgroundLaunches.identifier == identifier, process: getpid())
    link.start(
      received: { [weak self] messages in
        guard let self else { return link.close() }
        for message in messages { self.receive(message, on: link) }
      },
      ended: { [weak self] _ in self?.linkEnded(link) })
    state.withLock { $0.asked = link }
    link.send(AppMessage.attach(hello))
  }

  /// The daemon has ended, or was killed: it is started again, and told what it doesn't know.
  private func linkEnded(_ link: MessageLink) {
    let (pause, isHopeless): (Double?, Bool) = state.withLock { state in
      if state.asked === link { state.asked = nil }
      switch state.phase {
      case .attached(let current):
        guard current === link else { return (nil, false) }
        state.phase = .attaching
      case .attaching: break
      case .failed, .ended: return (nil, false)
      }
      state.failures += 1
      let isHopeless = state.beginning == .waiting && state.failures > BackgroundSession.attempts
      return (state.failures == 1 ? 0 : min(Double(state.failures), 30), isHopeless)
    }
    wakeWaiters()
    if isHopeless {
      return fail(
        LoadError(.backgroundSessionWasDisconnected, .admission, "urlsessiond ends as soon as it is started: run it to see why"))
    }
    if let pause { reconnect(after: pause) }
  }

  /// How often the daemon may end before it has answered once.
  private static let attempts = 5

  private func connectingFailed(_ refusal: Refusal) {
    let isFirst = state.withLock { $0.beginning == .waiting }
    guard !isFirst else { return fail(LoadError(refusal)) }
    reconnect(after: 30)
  }

  private func reconnect(after pause: Double) {
    // Not weak: a session that owes the daemon its cancellation is kept by nothing else.
    BackgroundSession.connecting.asyncAfter(deadline: .now() + pause) { [self] in connect() }
  }

  /// The session can't be used; its tasks end, its delegate is told, and so is standard error.
  func fail(_ error: LoadError) {
    let (session, link, tasks): (URLSession?, MessageLink?, [URLSessionTask]) = state.withLock { state in
      switch state.phase {
      case .failed, .ended: return (nil, nil, [])
      case .attaching, .attached: break
      }
      defer { (state.phase, state.tasks) = (.failed(error), CarriedTable()) }
      return (state.session, state.link, state.tasks.discardAll())
    }
    link?.close()
    wakeWaiters()
    defer {
      settle()
      BackgroundIdentifiers.release(terms.key, of: self)
    }
    guard let session else { return }
    FileHandle.standardError.write(Data("URLLoadingSystem: background session “\(identifier)”: \(error.message)\n".utf8))
    let isOver = session.registry.finish()
    for task in tasks { close(task, session, error) }
    if isOver { session.becomeInvalid() }
  }

  /// Why the session can't be used; nil if it can.
  var failure: LoadError? {
    state.withLock { state in
      if case .failed(let error) = state.phase { error } else { nil }
    }
  }

  /// New tasks may be made: their identifiers are known.
  func allowTasks() {
    if advance(to: .attached) { attachment.leave() }
  }

  /// Lets those continue who wait for the first answer; once.
  func settle() {
    allowTasks()
    if advance(to: .settled) { catchingUp.leave() }
  }

  /// - Returns: Whether it wasn't so far.
  private func advance(to beginning: Beginning) -> Bool {
    state.withLock { state in
      defer { state.beginning = max(state.beginning, beginning) }
      return state.beginning < beginning
    }
  }
}

extension LoadError {
  /// The daemon's refusal, or why it can't be reached.
  init(_ refusal: Refusal) {
    let kind: Kind =
      switch refusal.reason {
      case .sessionInUse: .backgroundSessionInUseByAnotherProcess
      case .version, .badMessage, .storage: .backgroundSessionWasDisconnected
      }
    self.init(kind, .admission, refusal.text)
  }
}
