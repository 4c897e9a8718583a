import Foundation
import LoadingModel
import NIOCore
import NIOSSL

/// What one handshake asks the app of the load that it is made for: to evaluate the server's trust, and for a client certificate.
///
///     quiet -> asking -> quiet (answered) -> …
///        \-> lacking -> asking …
///        \_____\______\-> over (the load or the connection ended meanwhile)
///
/// The load may be served by another connection before it is asked: then another one is asked in its place. Where there is none the
/// handshake waits for one, if it may (`lacks`), and ends otherwise. A question that is open when its load ends is withdrawn.
///
/// Confined to the event loop; answers come from any thread.
package final class PeerChallengeHandler: @unchecked Sendable {
  // @unchecked: confined to the load's event loop; the evaluator's answers come from any thread and are taken there.

  /// What the handshake waits for.
  private enum Question {
    case trust(EventLoopPromise<NIOSSLVerificationResult>)
    case identity(issuers: [Data], EventLoopPromise<NIOSSLContextConfigurationOverride>)

    /// Ends the handshake.
    func refuse(_ error: LoadError) {
      switch self {
      case .trust(let promise): promise.succeed(.failed)
      case .identity(_, let promise): promise.fail(error)
      }
    }
  }

  private enum State {
    case quiet
    /// There is no load whose app could be asked; one may come.
    case lacking(Question)
    case asking(Question)
    case over
  }

  /// What the app has said, which a later handshake of the same attempt doesn't ask once more.
  struct Answers {
    fileprivate var trust: (certificates: [Data], decider: Int, answer: TrustAnswer)?
    fileprivate var identity: (issuers: [Data], answer: IdentityAnswer)?
  }

  /// A load whose app can be asked.
  struct Load {
    let evaluator: any PeerEvaluator
    let context: LoadContext
    /// The number of its delegate (`PeerDeciders`).
    let decider: Int
    /// Whether it waits for the handshake. Another one has a connection already: neither its time nor its end has to do with the question.
    var isWaiting = true
  }

  weak var slot: TLSSessionSlot?
  /// The load, as long as it waits and the handshake lasts: a connection lives longer and must not keep it.
  private var load: Load?
  /// How the server of a TLS session must have been accepted that the handshake may resume.
  var takes: PeerAcceptance { load.map { .asked($0.decider) } ?? .confirmed }
  /// Told that there is no load to ask, for which the handshake waits then (`offer`); nil if it must end.
  var lacks: (() -> Void)?
  /// Whether the app is asked only about a server that passes the evaluation: the origin itself hasn't been reached there (RFC 7838, 2.1).
  let requiresEvaluation: Bool
  /// Finds another load that no handshake asks about, of this delegate if one has been asked before.
  private let successor: (_ decider: Int?) -> Load?
  private let origin: Origin
  private let identities: ClientIdentityCache
  private var state = State.quiet
  /// The delegate that has been asked: what it says about the server isn't another one's word.
  private var decider: Int?
  private(set) var answers: Answers
  /// Whether a question was taken back because its load had ended: the end of the handshake says nothing about the server then.
  private(set) var wasWithdrawn = false
  /// Whether an app has been asked anything.
  var hasAsked: Bool { decider != nil }

  init(
    _ origin: Origin, _ load: Load?, identities: ClientIdentityCache, requiresEvaluation: Bool = false, knowing answers: Answers? = nil,
    successor: @escaping (_ decider: Int?) -> Load?
  ) {
    self.origin = origin
    self.load = load
    self.identities = identities
    self.requiresEvaluation = requiresEvaluation
    self.answers = answers ?? Answers()
    decider = self.answers.trust?.decider
    self.successor = successor
  }

  /// Whether the handshake waits for the app.
  var isOpen: Bool { if case .asking = state { true } else { false } }

  /// Whether the handshake waits for a load whose app can be asked.
  var isLacking: Bool { if case .lacking = state { true } else { false } }

  /// Asks whether to trust the server.
  func evaluate(_ promise: EventLoopPromise<NIOSSLVerificationResult>) {
    guard case .quiet = state, let slot else { return promise.succeed(.failed) }
    // It isn't the origin's certificate.
    if let isPublic = slot.publicNameVerdict { return promise.succeed(isPublic ? .certificateVerified : .failed) }
    put(.trust(promise))
  }

  /// Asks for a client certificate; `issuers` are those that the server accepts.
  func identify(_ issuers: [Data], _ promise: EventLoopPromise<NIOSSLContextConfigurationOverride>) {
    if let known = identities.identity(for: origin) {
      return slot?.present(known, isKept: true, promise) ?? promise.succeed(.noChanges)
    }
    guard case .quiet = state else { return promise.succeed(.noChanges) }
    put(.identity(issuers: issuers, promise))
  }

  private func put(_ question: Question) {
    if answers(question) { return }
    if let load = asker() { return ask(question, load) }
    guard let lacks else { return question.refuse(.cancelled(.secure)) }
    state = .lacking(question)
    lacks()
  }

  /// Whether the app has answered this before; the question is answered then.
  private func answers(_ question: Question) -> Bool {
    guard let slot else { return false }
    switch question {
    case .trust(let promise):
      guard let known = answers.trust, known.certificates == slot.peerTrust.certificates else { return false }
      decider = known.decider
      promise.succeed(slot.accepts(known.answer, by: known.decider) ? .certificateVerified : .failed)
    case .identity(let issuers, let promise):
      guard let known = answers.identity, known.issuers == issuers else { return false }
      take(known.answer, promise)
    }
    return true
  }

  /// There may be a load now whose app can be asked.
  func offer() {
    guard case .lacking(let question) = state, let load = asker() else { return }
    ask(question, load)
  }

  private func ask(_ question: Question, _ load: Load) {
    guard let slot else { return question.refuse(.cancelled(.secure)) }
    state = .asking(question)
    decider = load.decider
    if load.isWaiting { load.context.beginConnectionQuestion() } else { self.load = nil }
    let eventLoop = load.context.eventLoop
    switch question {
    case .trust:
      load.evaluator.evaluate(slot.peerTrust) { answer in
        eventLoop.execute { self.received(answer) }
      }
    case .identity(let issuers, _):
      let request = ClientCertificateRequest(
        host: origin.host, port: origin.port, acceptableIssuers: issuers, previousFailureCount: identities.rejections(by: origin))
      load.evaluator.identify(request) { answer in
        eventLoop.execute { self.received(answer) }
      }
    }
  }

  /// The load whose app is asked.
  private func asker() -> Load? {
    if load == nil { load = successor(decider) }
    return load
  }

  /// The load's app is asked by another handshake.
  func yield() { load = nil }

  /// The load has got another connection. What it is being asked counts nevertheless: it needn't be asked once more.
  func release() {
    if case .asking = state { load?.context.endConnectionQuestion() }
    load = nil
  }

  /// The load or the connection has ended, or the load has got another connection: what is being asked no longer matters, and the
  /// handshake with it.
  func withdraw(_ error: LoadError) {
    switch state {
    case .quiet: load = nil
    case .over: return
    case .lacking(let question), .asking(let question):
      wasWithdrawn = true
      slot?.refuse(error)
      close()
      question.refuse(error)
    }
  }

  /// The handshake is over: nothing more will be asked.
  func finish() {
    let before = state
    close()
    switch before {
    case .lacking(let question), .asking(let question): question.refuse(.cancelled(.secure))
    case .quiet, .over: break
    }
  }

  private func close() {
    if case .asking = state { load?.context.endConnectionQuestion() }
    state = .over
    load = nil
  }

  private func received(_ answer: TrustAnswer) {
    // A legal race: the load or the connection ended before the app had answered.
    guard case .asking(.trust(let promise)) = state else { return }
    state = .quiet
    load?.context.endConnectionQuestion()
    if let slot, let decider { answers.trust = (slot.peerTrust.certificates, decider, answer) }
    let isAccepted = decider.map { slot?.accepts(answer, by: $0) == true } ?? false
    promise.succeed(isAccepted ? .certificateVerified : .failed)
  }

  private func received(_ answer: IdentityAnswer) {
    guard case .asking(.identity(let issuers, let promise)) = state else { return }
    state = .quiet
    load?.context.endConnectionQuestion()
    answers.identity = (issuers, answer)
    take(answer, promise)
  }

  private func take(_ answer: IdentityAnswer, _ promise: EventLoopPromise<NIOSSLContextConfigurationOverride>) {
    switch answer {
    case .none: promise.succeed(.noChanges)
    case .cancelled:
      let error = LoadError.cancelled(.secure)
      slot?.refuse(error)
      promise.fail(error)
    case .identity(let identity, let isKept):
      if isKept { identities.keep(identity, for: origin) }
      slot?.present(identity, isKept: isKept, promise) ?? promise.succeed(.noChanges)
    }
  }
}
