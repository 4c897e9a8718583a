import Foundation
import LoadingModel
import NIOCore
import NIOSSL

/// Asks a load's app, for one handshake, to evaluate the server's trust and to supply a client certificate.
///
/// quiet -> asking -> quiet (answered) -> …
/// \-> lacking -> asking …
/// \_____\______\-> over (the load or the connection ended meanwhile)
///
/// If the load is served by another connection before it is asked, another load's app is asked in its place. If there is none, the handshake waits
/// for one (`lacks`) or ends. A question is withdrawn when its load ends.
///
/// Confined to the event loop; answers come from any thread.
package final class PeerChallengeHandler: @unchecked Sendable {
  // @unchecked: confined to the load's event loop; the evaluator's answers come from any thread and are taken there.

  /// A question of the handshake, with the promise that continues it.
  private enum Question {
    case trust(EventLoopPromise<NIOSSLVerificationResult>)
    case identity(issuers: [Data], EventLoopPromise<NIOSSLContextConfigurationOverride>)

    /// Answers the question so that the handshake fails.
    func refuse(_ error: LoadError) {
      switch self {
      case .trust(let promise): promise.succeed(.failed)
      case .identity(_, let promise): promise.fail(error)
      }
    }
  }

  private enum State {
    case quiet
    /// No load has an app to ask; the handshake waits for one.
    case lacking(Question)
    case asking(Question)
    case over
  }

  /// The app's answers so far, so that a later handshake of the same attempt doesn't ask again.
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
    /// Whether the load waits for this connection. If false it has another one already: neither its timeout nor its end affects the question.
    var isWaiting = true
  }

  weak var slot: TLSSessionSlot?
  /// The load whose app is asked; nil once it doesn't wait any more or the handshake is over, as the connection must not keep it alive.
  private var load: Load?
  /// The acceptances with which a TLS session may be resumed by this handshake.
  var takes: PeerAcceptance { load.map { .asked($0.decider) } ?? .confirmed }
  /// Called when there is no load to ask, and the handshake waits until `offer` is called; nil if it ends then.
  var lacks: (() -> Void)?
  /// Whether the app is asked only if the server passes the trust evaluation, as at an alternative service (RFC 7838, 2.1).
  let requiresEvaluation: Bool
  /// Finds another load whose app isn't being asked; one of this delegate, if a delegate has been asked before.
  private let successor: (_ decider: Int?) -> Load?
  private let origin: Origin
  private let identities: ClientIdentityCache
  private var state = State.quiet
  /// The number of the delegate that has been asked: questions aren't passed on to another delegate's app.
  private var decider: Int?
  private(set) var answers: Answers
  /// Whether a question was taken back because its load had ended: the end of the handshake says nothing about the server then.
  private(set) var wasWithdrawn = false
  /// Whether the app has answered that its load is to be cancelled.
  var wasCancelled: Bool {
    if case .cancelled? = answers.trust?.answer { return true }
    if case .cancelled? = answers.identity?.answer { return true }
    return false
  }
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

  /// Whether the handshake waits for the app's answer.
  var isOpen: Bool { if case .asking = state { true } else { false } }

  /// Whether the handshake waits for a load whose app can be asked.
  var isLacking: Bool { if case .lacking = state { true } else { false } }

  /// Asks whether to trust the server.
  func evaluate(_ promise: EventLoopPromise<NIOSSLVerificationResult>) {
    guard case .quiet = state, let slot else { return promise.succeed(.failed) }
    // The server hasn't decrypted the ClientHello and shows the public name's certificate, which the app isn't asked about.
    if let isPublic = slot.publicNameVerdict { return promise.succeed(isPublic ? .certificateVerified : .failed) }
    put(.trust(promise))
  }

  /// Asks the app for a client certificate; `issuers` are the distinguished names (DER) of the authorities that the server accepts.
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

  /// Answers the question if the app has answered the same one in an earlier handshake; returns whether it had.
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

  /// A load may be available whose app can be asked: asks it if the handshake waits for one.
  func offer() {
    guard case .lacking(let question) = state, let load = asker() else { return }
    ask(question, load)
  }

  private func ask(_ question: Question, _ load: Load) {
    guard let slot else { return question.refuse(.cancelled(.secure)) }
    state = .asking(question)
    decider = load.decider
    if load.isWaiting { load.context.beginQuestion() } else { self.load = nil }
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

  /// The load whose app is to be asked; nil if there is none.
  private func asker() -> Load? {
    if load == nil { load = successor(decider) }
    return load
  }

  /// Another handshake asks the load's app: this one must not.
  func yield() { load = nil }

  /// The load has got another connection. A question that its app is being asked still counts, so that it isn't asked again.
  func release() {
    if case .asking = state { load?.context.endQuestion() }
    load = nil
  }

  /// Ends the questions, and with them the handshake, because the load or the connection has ended or the load has got another connection.
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
    if case .asking = state { load?.context.endQuestion() }
    state = .over
    load = nil
  }

  private func received(_ answer: TrustAnswer) {
    // The load or the connection has ended while the app was being asked: its answer isn't needed any more.
    guard case .asking(.trust(let promise)) = state else { return }
    state = .quiet
    load?.context.endQuestion()
    if let slot, let decider { answers.trust = (slot.peerTrust.certificates, decider, answer) }
    let isAccepted = decider.map { slot?.accepts(answer, by: $0) == true } ?? false
    promise.succeed(isAccepted ? .certificateVerified : .failed)
  }

  private func received(_ answer: IdentityAnswer) {
    guard case .asking(.identity(let issuers, let promise)) = state else { return }
    state = .quiet
    load?.context.endQuestion()
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
