#if HTTP3
  import Foundation
  import CLoadingBoringSSL
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// TLS of one connection over QUIC: the same trust evaluation and the same questions as over TCP. A value, used on the event loop.
  struct HTTP3Security {
    let origin: Origin
    let settings: TLSSettings
    let policy: TLSPolicy
    let identities: ClientIdentityCache
    let tickets: TLSTicketStore
    let questions: PeerChallengeHandler?
    let eventLoop: any EventLoop
    var hello = EncryptedHello(.automatic)
    /// The keys for the client hello; nil as long as none are known.
    var keys: () -> EncryptedHelloKeys? = { nil }
    /// The trust anchors, for tests; nil to use those of `settings`.
    var store: TrustStore?

    /// Creates a new SSL object of BoringSSL, which the caller has to free.
    func make() throws(LoadError) -> UnsafeMutableRawPointer {
      hello.found(keys())
      try hello.check(origin)
      let context = try TLSContexts.shared.context(for: settings)
      guard let pointer = BoringSSLPointer.context(of: context), let ssl = uls_tls_new(pointer, HostName(origin.host).name) else {
        throw LoadError(.secureConnectionFailed, .secure, "“\(origin.host)” can't be asked for by TLS")
      }
      return ssl
    }

    /// Creates the TLS session slot of a connection that is about to begin its handshake, and sets its verifier and responder.
    func slot(_ ssl: UnsafeMutableRawPointer, in keeper: AnyObject, resume: @escaping () -> Void) throws(LoadError) -> TLSSessionSlot {
      let store = if let store { store } else { try settings.trustStore() }
      let slot = TLSSessionSlot(
        ssl, in: keeper, tickets: tickets, origin: origin, policy: policy, store: store, logs: settings.transparencyLogs,
        identities: identities, questions: questions, hello: hello, presentsItself: true)
      slot.asked = HandshakeQuestions(slot, questions, known: identities.identity(for: origin), on: eventLoop, resume: resume)
      uls_tls_set_verifier(ssl, TLSSessionSlot.verifier)
      uls_tls_set_responder(ssl, HandshakeQuestions.responder)
      return slot
    }
  }

  /// The C layer's connection and its TLS session slot, which a connection has from its first packet to its end. Confined to the event loop.
  struct HTTP3Means: @unchecked Sendable {
    // @unchecked: confined to the event loop.
    let handle: QUICHandle
    let slot: TLSSessionSlot
    var pointer: OpaquePointer { handle.pointer }
  }

  /// The negotiated TLS parameters of a connection, and why its server was accepted.
  struct HTTP3SecuredFacts {
    private(set) var version: UInt16?
    private(set) var suite: UInt16?
    private(set) var isResumed = false
    private(set) var group: UInt16?
    private(set) var encryptedHello: EncryptedHelloUse?
    private(set) var acceptance = PeerAcceptance.unneeded
    private(set) var certificates: [Data]?

    /// Empty, as before a handshake.
    init() {}

    /// The facts of a completed handshake.
    init(negotiatedBy slot: TLSSessionSlot) {
      (version, suite) = (slot.negotiatedVersion, slot.negotiatedCipherSuite)
      (isResumed, acceptance) = (slot.isResumed, slot.peerAcceptance)
      (group, encryptedHello) = (slot.keyExchangeGroup, slot.encryptedHello)
      certificates = slot.keptCertificates
    }

    /// The facts of the resumed TLS session that protects early data; also those of the connection if the server accepts early data.
    init(offeredBy slot: TLSSessionSlot, _ acceptance: PeerAcceptance) {
      // TLS 1.3, without which there is no QUIC (RFC 9001, 4.2).
      (version, suite, isResumed) = (0x0304, slot.offeredCipherSuite, true)
      self.acceptance = acceptance
    }
  }
#endif
