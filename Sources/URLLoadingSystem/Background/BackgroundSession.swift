import BackgroundTransfers
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

  struct State {
    var phase = Phase.attaching
    weak var session: URLSession?
    /// The tasks that the daemon carries, by identifier, until they have ended.
    var tasks: [Int: URLSessionTask] = [:]
    /// Tasks that ended here: the daemon's event of their end isn't told.
    var discarded: Set<Int> = []
    /// Events whose calls wait in the delegate queue or have been made.
    var delivered: Set<Int64> = []
    /// Where taken events are noted; nil before the first attachment.
    var journal: TakenJournal?
    /// Tasks of which the daemon has spoken since the last attachment.
    var known: Set<Int> = []
    /// Whether the tasks that the daemon has may be an earlier process's.
    var restores = true
    var missedEvents = 0
    var hasAttached = false
    /// Links that have ended without an attachment between them.
    var failures = 0
  }

  let identifier: String
  let terms: SessionTerms
  let state = Mutex(State())
  /// Entered until the first attachment has succeeded or failed.
  private let attachment = DispatchGroup()
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
  }

  /// Begins to attach `session`, which is complete.
  func begin(for session: URLSession) {
    state.withLock { $0.session = session }
    guard hasDelegate else {
      return fail(
        LoadError(
          .unknown, .admission, "background sessions need a delegate, which is told of transfers that end while the app isn't running"))
    }
    guard BackgroundIdentifiers.take(terms.key, for: self) else {
      return fail(
        LoadError(
          .backgroundSessionInUseByAnotherProcess, .admission,
          "this process has a session with the identifier “\(identifier)” already; use that one, or invalidate it first"))
    }
    connect()
  }

  /// Waits, some seconds at most, until the daemon has answered for the first time: identifiers of tasks continue those of earlier
  /// processes.
  func waitForAttachment() { _ = attachment.wait(timeout: .now() + BackgroundSession.patience * 2) }

  /// Calls `action`, on any thread, when the daemon has answered for the first time, or can't.
  func afterAttachment(_ action: @escaping @Sendable () -> Void) {
    attachment.notify(queue: BackgroundSession.connecting, execute: action)
  }

  /// The session is no more, or has been invalidated.
  func end() {
    let (link, isFirst) = state.withLock { state -> (MessageLink?, Bool) in
      defer { if case .failed = state.phase {} else { state.phase = .ended } }
      state.tasks = [:]
      switch state.phase {
      case .attached(let link): return (link, !state.hasAttached)
      case .attaching: return (nil, !state.hasAttached)
      case .failed, .ended: return (nil, false)
      }
    }
    if isFirst { settle() }
    link?.closeAfterSending()
    BackgroundIdentifiers.release(terms.key, of: self)
  }

  // MARK: connecting

  /// Seconds in which the daemon must answer, or be started.
  private static let patience = 10.0
  /// Connecting blocks: it has threads of its own.
  static let connecting = DispatchQueue(label: "org.url-loading-system.background", attributes: .concurrent)

  private func connect() {
    BackgroundSession.connecting.async { [weak self] in
      guard let self, self.isAttaching else { return }
      do throws(Refusal) {
        let link = try self.makeLink()
        self.attach(link)
      } catch {
        self.connectingFailed(error)
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
    let starter = DaemonStarter(places: places, environment: ProcessInfo.processInfo.environment)
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
    link.send(AppMessage.attach(hello))
  }

  /// The daemon has ended, or was killed: it is started again, and told what it doesn't know.
  private func linkEnded(_ link: MessageLink) {
    let pause: Double? = state.withLock { state in
      switch state.phase {
      case .attached(let current):
        guard current === link else { return nil }
        state.phase = .attaching
      case .attaching: break
      case .failed, .ended: return nil
      }
      state.failures += 1
      return state.failures == 1 ? 0 : min(Double(state.failures), 30)
    }
    if let pause { reconnect(after: pause) }
  }

  private func connectingFailed(_ refusal: Refusal) {
    let hasAttached = state.withLock { $0.hasAttached }
    guard hasAttached else { return fail(LoadError(refusal)) }
    reconnect(after: 30)
  }

  private func reconnect(after pause: Double) {
    BackgroundSession.connecting.asyncAfter(deadline: .now() + pause) { [weak self] in self?.connect() }
  }

  /// The session can't be used; its delegate is told, and so is standard error.
  func fail(_ error: LoadError) {
    let session: URLSession? = state.withLock { state in
      switch state.phase {
      case .failed, .ended: return nil
      case .attaching, .attached: break
      }
      state.phase = .failed(error)
      return state.session
    }
    guard let session else { return settle() }
    FileHandle.standardError.write(Data("URLLoadingSystem: background session “\(identifier)”: \(error.message)\n".utf8))
    settle()
    BackgroundIdentifiers.release(terms.key, of: self)
    if session.registry.finish() { session.becomeInvalid(error.urlError(failingURL: nil)) }
  }

  /// Lets those continue who wait for the first answer; once.
  func settle() {
    let isFirst = state.withLock { state in
      defer { state.hasAttached = true }
      return !state.hasAttached
    }
    if isFirst { attachment.leave() }
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
