import LoadingModel
import NIOCore
import NIOSSL

/// Makes the TLS side of one new connection. A value, used once on the event loop.
struct TLSSetup {
  let origin: Origin
  let settings: TLSSettings
  let policy: TLSPolicy
  let identities: ClientIdentityCache

  /// Creates the channel's TLS handler and its slot.
  ///
  /// Without an app to ask and a client certificate to present, connections share one context, and BoringSSL calls the trust evaluation
  /// synchronously.
  ///
  /// - Parameter hello: The attempt's Encrypted Client Hello; nil for a server whose keys aren't looked up.
  func secure(
    serverName: String?, _ tickets: TLSTicketStore, _ questions: PeerChallengeHandler?, _ hello: EncryptedHello? = nil
  ) throws(LoadError) -> (handler: NIOSSLClientHandler, slot: TLSSessionSlot) {
    let store = try settings.trustStore()
    let responder = ClientCertificateResponder(known: identities.identity(for: origin), questions: questions)
    let context =
      responder.hasNothingToSay
      ? try TLSContexts.shared.context(for: settings) : try TLSContexts.make(settings, onCertificateRequest: responder.answer)
    let handler = try handler(context, serverName, questions)
    let slot = try TLSSessionSlot(
      handler: handler, tickets: tickets, origin: origin, policy: policy, store: store, logs: settings.transparencyLogs,
      identities: identities, questions: questions, hello: hello ?? .withoutKeys(settings))
    responder.slot = slot
    return (handler, slot)
  }

  private func handler(
    _ context: NIOSSLContext, _ serverName: String?, _ questions: PeerChallengeHandler?
  ) throws(LoadError) -> NIOSSLClientHandler {
    do {
      guard let questions else { return try NIOSSLClientHandler(context: context, serverHostname: serverName) }
      return try NIOSSLClientHandler(context: context, serverHostname: serverName) { [weak questions] _, promise in
        if let questions { questions.evaluate(promise) } else { promise.succeed(.failed) }
      }
    } catch {
      throw LoadError(.secureConnectionFailed, .secure, "“\(origin.serverName)” can't be asked for by TLS: \(error)")
    }
  }
}

/// Answers one handshake's request for a client certificate. Confined to the event loop.
private final class ClientCertificateResponder: @unchecked Sendable {
  // @unchecked: made and used on the connection's event loop, where NIOSSL calls `answer`; `known` is immutable.
  private let known: ClientIdentity?
  private weak var questions: PeerChallengeHandler?
  weak var slot: TLSSessionSlot?
  /// The answer to NIOSSL's first call, as it may call again before the app has answered.
  private var answered: EventLoopFuture<NIOSSLContextConfigurationOverride>?

  init(known: ClientIdentity?, questions: PeerChallengeHandler?) {
    self.known = known
    self.questions = questions
  }

  var hasNothingToSay: Bool { known == nil && questions == nil }

  func answer(_: NIOSSLClientExtensionValues, _ promise: EventLoopPromise<NIOSSLContextConfigurationOverride>) {
    if let answered { return answered.cascade(to: promise) }
    answered = promise.futureResult
    guard let slot else { return promise.succeed(.noChanges) }
    if let questions { return questions.identify(slot.acceptableIssuers, promise) }
    slot.present(known, isKept: true, promise)
  }
}
