import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation
import LoadingModel

/// The app's side of a background session: its tasks mirror transfers of the daemon, and the app's calls on them are sent to the daemon.
///
/// Owned by its `URLSession`; thread-safe. Data tasks aren't handled here: they run in the app's process.
final class BackgroundSession: SessionCarrier {
  let identifier: String
  let terms: SessionTerms
  let state = Mutex(BackgroundState())
  /// Entered until the daemon has answered or the session has failed: identifiers of new tasks are known then.
  let attachment = DispatchGroup()
  /// Entered until the daemon has sent all events from before the attachment, or the session has failed.
  private let catchingUp = DispatchGroup()
  private let answersChallenges: Bool
  private let answersFromStorage: Bool
  private let answersDelays: Bool
  private let hasDelegate: Bool

  init(_ configuration: URLSessionConfiguration, identifier: String, _ messages: DelegateMessages?) {
    self.identifier = identifier
    terms = SessionTerms(configuration, identifier: identifier)
    hasDelegate = messages != nil
    answersChallenges =
      messages.map { $0.mayImplement(.didReceiveTaskChallenge) || $0.mayImplement(.didReceiveSessionChallenge) } ?? false
    answersFromStorage = configuration.urlCredentialStorage != nil
    answersDelays = messages?.mayImplement(.willBeginDelayedRequest) ?? false
    attachment.enter()
    catchingUp.enter()
  }

  /// Claims the identifier and connects to the daemon; called when `session` is fully initialised.
  func begin(for session: URLSession) {
    state.withLock { $0.session = session }
    guard hasDelegate else { return fail(BackgroundRefusals.noDelegate) }
    claim()
  }

  private func claim() {
    switch BackgroundIdentifiers.claim(terms.key, for: self, then: { [weak self] in self?.claim() }) {
    case .taken: connect()
    // The session that still has the identifier calls `claim()` again once it has told the daemon of its cancellation and released the identifier.
    case .ending: break
    case .busy: fail(BackgroundRefusals.sessionInUse(identifier))
    }
  }

  /// Calls `action` when the daemon has sent the tasks and events of earlier processes, or the session has failed: at once, or later on any thread.
  func afterAttachment(_ action: @escaping @Sendable () -> Void) {
    if state.withLock({ $0.attachment.beginning == .settled }) { return action() }
    catchingUp.notify(queue: BackgroundSession.connecting, execute: action)
  }

  /// Ends the connection when the session has been deallocated or become invalid. A cancellation that the daemon hasn't confirmed is first delivered:
  /// until then the session is kept.
  func end() {
    enum Step {
      case none
      case linger
      case leave(MessageLink?)
    }
    let step: Step = state.withLock { state in
      state.tasks = CarriedTable()
      guard state.attachment.isInUse else { return .none }
      if state.owesInvalidation { return .linger }
      if state.tellsFinish() { state.attachment.link?.send(AppMessage.invalidate(cancelling: false)) }
      defer { state.attachment.end() }
      return .leave(state.attachment.link)
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

  /// Handles the daemon's confirmation that it has cancelled the session.
  func invalidationIsKnown() {
    let isOver = state.withLock { state in
      guard state.owesInvalidation else { return false }
      state.owesInvalidation = false
      return true
    }
    if isOver { end() }
  }

  // MARK: Connecting

  /// Seconds within which a daemon that is started must accept a connection.
  private static let patience = 10.0
  /// The queue on which connecting blocks; concurrent, so that one session's connecting doesn't delay another's.
  static let connecting = DispatchQueue(label: "org.url-loading-system.background", attributes: .concurrent)

  private func connect() {
    BackgroundSession.connecting.async { [self] in
      guard state.withLock({ $0.attachment.isAttaching }) else { return }
      do throws(Refusal) {
        attach(try makeLink())
      } catch {
        connectingFailed(error)
      }
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
      terms: terms, answersChallenges: answersChallenges, answersFromStorage: answersFromStorage, answersDelays: answersDelays,
      wasLaunched: BackgroundLaunches.identifier == identifier, process: getpid())
    link.start(
      received: { [weak self] messages in
        guard let self else { return link.close() }
        for message in messages { self.receive(message, on: link) }
      },
      ended: { [weak self] _ in self?.linkEnded(link) })
    state.withLock { $0.attachment.ask(on: link) }
    link.send(AppMessage.attach(hello))
  }

  /// Handles the end of the connection, because the daemon has exited or was killed: connects again, which starts a new daemon.
  private func linkEnded(_ link: MessageLink) {
    let loss = state.withLock { $0.attachment.lost(link) }
    wakeWaiters()
    switch loss {
    case .none: break
    case .reconnect(let pause): reconnect(after: pause)
    case .hopeless:
      fail(LoadError(.backgroundSessionWasDisconnected, .admission, "urlsessiond ends as soon as it is started: run it to see why"))
    }
  }

  private func connectingFailed(_ refusal: Refusal) {
    let isFirst = state.withLock { $0.attachment.beginning == .waiting }
    guard !isFirst else { return fail(LoadError(refusal)) }
    reconnect(after: 30)
  }

  private func reconnect(after pause: Double) {
    // `self` is captured strongly: a session with an unconfirmed cancellation may have no other owner.
    BackgroundSession.connecting.asyncAfter(deadline: .now() + pause) { [self] in connect() }
  }

  /// Makes the session unusable: ends its tasks with `error`, tells its delegate, and writes the error to standard error.
  func fail(_ error: LoadError) {
    let (session, link, tasks): (URLSession?, MessageLink?, [URLSessionTask]) = state.withLock { state in
      guard state.attachment.isInUse else { return (nil, nil, []) }
      let link = state.attachment.link
      state.attachment.fail(error)
      defer { state.tasks = CarriedTable() }
      return (state.session, link, state.tasks.discardAll())
    }
    link?.close()
    wakeWaiters()
    // Released before the delegate is told: it may make the next session of the identifier then.
    BackgroundIdentifiers.release(terms.key, of: self)
    defer { settle() }
    guard let session else { return }
    FileHandle.standardError.write(Data("URLLoadingSystem: background session “\(identifier)”: \(error.message)\n".utf8))
    let isOver = session.registry.finish()
    for task in tasks { TaskMirror(task: task, session: session).end(error) }
    if isOver { session.becomeInvalid() }
  }

  /// The error because of which the session can't be used; nil if it can.
  var failure: LoadError? { state.withLock { $0.attachment.failure } }

  /// Lets threads that wait in `waitForAttachment()` make tasks, since their identifiers are known.
  func allowTasks() {
    if advance(to: .attached) { attachment.leave() }
  }

  /// Runs the actions of `afterAttachment`, when the daemon's events are in or the session has failed; later calls have no effect.
  func settle() {
    allowTasks()
    if advance(to: .settled) { catchingUp.leave() }
  }

  private func advance(to beginning: DaemonAttachment.Beginning) -> Bool { state.withLock { $0.attachment.advance(to: beginning) } }
}

extension URLSessionConfiguration {
  /// The connection to the daemon for a background session; nil for other sessions.
  func makeCarrier(_ messages: DelegateMessages?) -> (any SessionCarrier)? {
    identifier.map { BackgroundSession(self, identifier: $0, messages) }
  }
}
