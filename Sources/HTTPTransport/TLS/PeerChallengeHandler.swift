import Foundation
import LoadingModel
import NIOCore
import NIOSSL

/// What one handshake asks the app of the load that it is made for: to evaluate the server's trust, and for a client certificate.
///
///     quiet -> asking -> quiet (answered) -> …
///                 \-> over (the load or the connection ended meanwhile)
///
/// The load may be served by another connection before it is asked: then another one that waits is asked in its place, and where none
/// does the handshake ends. A question that is open then is withdrawn.
///
/// Confined to the event loop; answers come from any thread.
package final class PeerChallengeHandler: @unchecked Sendable {
  // @unchecked: confined to the load's event loop; the evaluator's answers come from any thread and are taken there.

  private enum State {
    case quiet
    case evaluating(EventLoopPromise<NIOSSLVerificationResult>)
    case identifying(EventLoopPromise<NIOSSLContextConfigurationOverride>)
    case over
  }

  /// A load that waits for a connection, with its app.
  struct Load {
    let evaluator: any PeerEvaluator
    let context: LoadContext
    /// The number of its delegate (`PeerDeciders`).
    let decider: Int
  }

  weak var slot: TLSSessionSlot?
  /// The load, as long as it waits and the handshake lasts: a connection lives longer and must not keep it.
  private var load: Load?
  /// How the server of a TLS session must have been accepted that the handshake may resume.
  var takes: PeerAcceptance { load.map { .asked($0.decider) } ?? .confirmed }
  /// Finds another load that waits and that no handshake asks about.
  private let successor: () -> Load?
  private let origin: Origin
  private let identities: ClientIdentityCache
  private var state = State.quiet
  /// Whether an app has been asked anything.
  private(set) var hasAsked = false

  init(_ origin: Origin, _ load: Load?, identities: ClientIdentityCache, successor: @escaping () -> Load?) {
    self.origin = origin
    self.load = load
    self.identities = identities
    self.successor = successor
  }

  /// Whether the handshake waits for the app.
  var isOpen: Bool {
    switch state {
    case .evaluating, .identifying: true
    case .quiet, .over: false
    }
  }

  /// Asks whether to trust the server.
  func evaluate(_ promise: EventLoopPromise<NIOSSLVerificationResult>) {
    guard case .quiet = state, let slot, let load = asker() else { return promise.succeed(.failed) }
    state = .evaluating(promise)
    hasAsked = true
    load.context.beginConnectionQuestion()
    let eventLoop = load.context.eventLoop
    load.evaluator.evaluate(slot.peerTrust) { answer in
      eventLoop.execute { self.received(answer) }
    }
  }

  /// Asks for a client certificate; `issuers` are those that the server accepts.
  func identify(_ issuers: [Data], _ promise: EventLoopPromise<NIOSSLContextConfigurationOverride>) {
    if let known = identities.identity(for: origin) {
      return slot?.present(known, isKept: true, promise) ?? promise.succeed(.noChanges)
    }
    guard case .quiet = state else { return promise.succeed(.noChanges) }
    guard let load = asker() else { return promise.fail(LoadError.cancelled(.secure)) }
    state = .identifying(promise)
    hasAsked = true
    load.context.beginConnectionQuestion()
    let request = ClientCertificateRequest(
      host: origin.host, port: origin.port, acceptableIssuers: issuers, previousFailureCount: identities.rejections(by: origin))
    let eventLoop = load.context.eventLoop
    load.evaluator.identify(request) { answer in
      eventLoop.execute { self.received(answer) }
    }
  }

  /// The load whose app is asked: one that still waits.
  private func asker() -> Load? {
    if load == nil { load = successor() }
    return load
  }

  /// The load's app is asked by another handshake.
  func yield() { load = nil }

  /// The load or the connection has ended, or the load has got another connection: what is being asked no longer matters, and the
  /// handshake with it.
  func withdraw(_ error: LoadError) {
    let open = state
    switch open {
    case .quiet: load = nil
    case .over: return
    case .evaluating(let promise):
      close(error)
      promise.succeed(.failed)
    case .identifying(let promise):
      close(error)
      promise.fail(error)
    }
  }

  private func close(_ error: LoadError) {
    state = .over
    slot?.refuse(error)
    load?.context.endConnectionQuestion()
    load = nil
  }

  /// The handshake is over: nothing more will be asked.
  func finish() {
    state = .over
    load = nil
  }

  private func received(_ answer: TrustAnswer) {
    // A legal race: the load or the connection ended before the app had answered.
    guard case .evaluating(let promise) = state else { return }
    state = .quiet
    load?.context.endConnectionQuestion()
    let isAccepted = load.map { slot?.accepts(answer, by: $0.decider) == true } ?? false
    promise.succeed(isAccepted ? .certificateVerified : .failed)
  }

  private func received(_ answer: IdentityAnswer) {
    guard case .identifying(let promise) = state else { return }
    state = .quiet
    load?.context.endConnectionQuestion()
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

/// The client identities that the app has provided to one URL session, by origin. Confined to its event loop.
package final class ClientIdentityCache {
  private var identities: [Origin: ClientIdentity] = [:]
  private var rejections: [Origin: Int] = [:]
  /// Origins that are kept.
  private static let limit = 256

  package init() {}

  func identity(for origin: Origin) -> ClientIdentity? { identities[origin] }

  /// How often the server has refused the identity since it accepted one.
  func rejections(by origin: Origin) -> Int { rejections[origin] ?? 0 }

  func keep(_ identity: ClientIdentity, for origin: Origin) {
    if identities.count >= ClientIdentityCache.limit { identities.removeAll() }
    identities[origin] = identity
  }

  func rejected(by origin: Origin) {
    identities[origin] = nil
    if rejections.count >= ClientIdentityCache.limit { rejections.removeAll() }
    rejections[origin, default: 0] += 1
  }

  func accepted(by origin: Origin) {
    if !rejections.isEmpty { rejections[origin] = nil }
  }

  package func removeAll() {
    identities.removeAll()
    rejections.removeAll()
  }
}
