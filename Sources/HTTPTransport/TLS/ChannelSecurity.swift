import LoadingModel
import NIOCore
import NIOSSL

/// TLS of one connection for protocols other than HTTP, with the same trust evaluation and the same challenges to the app as for HTTP.
///
/// Owned by the connection; confined to its event loop.
package final class ChannelSecurity {
  /// The settings of a connection's TLS, and the app to ask.
  package struct Terms {
    package let origin: Origin
    package let settings: TLSSettings
    package let policy: TLSPolicy
    package let identities: ClientIdentityCache
    /// The load's app, if it may be asked about the server, and the number of its delegate; else nil and 0.
    let evaluator: (any PeerEvaluator)?
    let decider: Int

    package init(
      origin: Origin, settings: TLSSettings, policy: TLSPolicy, identities: ClientIdentityCache, evaluator: (any PeerEvaluator)?,
      deciders: PeerDeciders
    ) {
      self.origin = origin
      self.settings = settings.applying(policy)
      self.policy = policy
      self.identities = identities
      self.evaluator = evaluator
      decider = evaluator.map { deciders.number(of: $0.decider) } ?? 0
    }
  }

  private let secured: NIOSSLClientHandler
  private let slot: TLSSessionSlot
  private let serverName: String
  private let questions: PeerChallengeHandler?
  /// Reports the handshake to a watcher; nil if there is none or the handshake is complete.
  private var timings: ConnectTimings?

  /// - Parameter tickets: The store from which a TLS ticket is offered to the server, and to which `keepTickets` adds new ones.
  package init(_ terms: Terms, tickets: TLSTicketStore, _ context: LoadContext) throws(LoadError) {
    serverName = terms.origin.serverName
    questions = terms.evaluator.map { evaluator in
      let load = PeerChallengeHandler.Load(evaluator: evaluator, context: context, decider: terms.decider)
      return PeerChallengeHandler(terms.origin, load, identities: terms.identities, successor: { _ in nil })
    }
    let setup = TLSSetup(origin: terms.origin, settings: terms.settings, policy: terms.policy, identities: terms.identities)
    (secured, slot) = try setup.secure(serverName: HostName(terms.origin.serverName).name, tickets, questions)
  }

  /// To be added below all other handlers of the channel.
  package var handler: any ChannelHandler { secured }

  /// Whether the handshake waits for the app to answer a challenge.
  var asksApp: Bool { questions?.isOpen ?? false }

  /// Reports the handshake, which is about to begin, to the watcher of `timings`.
  package func tellHandshake(_ timings: ConnectTimings) {
    timings.tell(.handshake(serverName: serverName))
    self.timings = timings
    slot.tellMessages(timings)
  }

  package func handshakeEnded() {
    slot.handshakeEnded()
    timings.take()?.tell(.secured(slot.facts(nil)))
  }

  /// Lets the next connection resume this one's TLS session.
  package func keepTickets() { slot.keepTickets() }

  /// The load has ended: withdraws the questions that its app is being asked.
  package func withdraw(_ error: LoadError) { questions?.withdraw(error) }

  /// The error of a handshake that failed.
  package func explain(_ error: any Error) -> LoadError { slot.explain(error) }

  /// Whether `error` says that the peer closed the connection without closing TLS first.
  package static func isUncleanEnd(_ error: any Error) -> Bool {
    if case NIOSSLError.uncleanShutdown = error { true } else { false }
  }

  package func facts(of channel: any Channel) -> ConnectionFacts {
    ConnectionFacts(
      localAddress: channel.localAddress?.ipAddress, localPort: channel.localAddress?.port,
      remoteAddress: channel.remoteAddress?.ipAddress, remotePort: channel.remoteAddress?.port,
      tlsVersion: slot.negotiatedVersion, tlsCipherSuite: slot.negotiatedCipherSuite, isTLSResumed: slot.isResumed,
      isTrustOverridden: slot.peerAcceptance.isOverridden, keyExchangeGroup: slot.keyExchangeGroup, encryptedHello: slot.encryptedHello,
      isMultipath: SocketSettings.isMultipath(channel), certificates: slot.keptCertificates)
  }
}
