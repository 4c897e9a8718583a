import Foundation
import LoadingModel
import NIOCore
import NIOSSL

/// What one handshake asks the app of the load it is made for: is this server trusted, and who are you?
///
///     quiet -> asking -> quiet (answered) -> …
///                 \-> over (the load or the connection ended meanwhile)
///
/// Confined to the event loop; answers come from any thread.
final class PeerQuestions: @unchecked Sendable {
  // @unchecked: confined to the load's event loop.

  private enum State {
    case quiet
    case judging(EventLoopPromise<NIOSSLVerificationResult>)
    case identifying(EventLoopPromise<NIOSSLContextConfigurationOverride>)
    case over
  }

  private struct Load {
    let judge: any PeerJudge
    let context: LoadContext
  }

  /// The load's place in the pool's line.
  let waiter: Int
  weak var slot: TLSSessionSlot?
  /// The load, as long as the handshake lasts: a connection lives longer and must not keep it.
  private var load: Load?
  private let origin: Origin
  private let identities: ClientIdentityBook
  private var state = State.quiet

  init(_ origin: Origin, waiter: Int, judge: any PeerJudge, context: LoadContext, identities: ClientIdentityBook) {
    self.origin = origin
    self.waiter = waiter
    load = Load(judge: judge, context: context)
    self.identities = identities
  }

  /// Whether the handshake waits for the app.
  var isOpen: Bool {
    switch state {
    case .judging, .identifying: true
    case .quiet, .over: false
    }
  }

  /// Asks whether to trust the server.
  func judge(_ promise: EventLoopPromise<NIOSSLVerificationResult>) {
    guard case .quiet = state, let slot, let load else { return promise.succeed(.failed) }
    state = .judging(promise)
    load.context.beginConnectionQuestion()
    let eventLoop = load.context.eventLoop
    load.judge.judge(slot.peerTrust) { answer in
      eventLoop.execute { self.received(answer) }
    }
  }

  /// Asks for a client certificate; `issuers` are those that the server accepts.
  func identify(_ issuers: [Data], _ promise: EventLoopPromise<NIOSSLContextConfigurationOverride>) {
    if let known = identities.identity(for: origin) { return slot?.present(known, promise) ?? promise.succeed(.noChanges) }
    guard case .quiet = state, let load else { return promise.succeed(.noChanges) }
    state = .identifying(promise)
    load.context.beginConnectionQuestion()
    let request = ClientCertificateRequest(
      host: origin.host, port: origin.port, acceptableIssuers: issuers, previousFailureCount: identities.rejections(by: origin))
    let eventLoop = load.context.eventLoop
    load.judge.identify(request) { answer in
      eventLoop.execute { self.received(answer) }
    }
  }

  /// The load or the connection has ended: what is being asked no longer matters, and the handshake with it.
  func withdraw(_ error: LoadError) {
    let open = state
    switch open {
    case .quiet, .over: return
    case .judging(let promise):
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

  func identityWasAccepted() { identities.accepted(by: origin) }

  /// The server didn't want what was presented: the next connection asks again.
  func identityWasRejected() { identities.rejected(by: origin) }

  private func received(_ answer: TrustAnswer) {
    // A legal race: the load or the connection ended while the app was thinking.
    guard case .judging(let promise) = state else { return }
    state = .quiet
    load?.context.endConnectionQuestion()
    promise.succeed(slot?.accepts(answer) == true ? .certificateVerified : .failed)
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
      slot?.present(identity, promise) ?? promise.succeed(.noChanges)
    }
  }
}

/// The identities that the app has lent to one URL session, by origin. Confined to its event loop.
package final class ClientIdentityBook {
  private var identities: [Origin: ClientIdentity] = [:]
  private var rejections: [Origin: Int] = [:]
  /// Origins that are kept.
  private static let limit = 256

  package init() {}

  func identity(for origin: Origin) -> ClientIdentity? { identities[origin] }

  /// How often the server has refused the identity since it accepted one.
  func rejections(by origin: Origin) -> Int { rejections[origin] ?? 0 }

  func keep(_ identity: ClientIdentity, for origin: Origin) {
    if identities.count >= ClientIdentityBook.limit { identities.removeAll() }
    identities[origin] = identity
  }

  func rejected(by origin: Origin) {
    identities[origin] = nil
    if rejections.count >= ClientIdentityBook.limit { rejections.removeAll() }
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
