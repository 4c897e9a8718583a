#if HTTP3
  import CLoadingBoringSSL
  import LoadingModel
  import NIOCore

  /// TLS of one connection over QUIC: the same trust evaluation and the same questions as over TCP. A value, used on the event loop.
  struct HTTP3Security {
    let origin: Origin
    let settings: TLSSettings
    let policy: TLSPolicy
    let identities: ClientIdentityCache
    let tickets: TLSTicketStore
    let questions: PeerChallengeHandler?
    let eventLoop: any EventLoop

    /// A fresh connection of BoringSSL's.
    func make() throws(LoadError) -> UnsafeMutableRawPointer {
      let context = try TLSContexts.shared.context(for: settings)
      guard let pointer = BoringSSLPointer.context(of: context), let ssl = uls_tls_new(pointer, HostName(origin.host).name) else {
        throw LoadError(.secureConnectionFailed, .secure, "“\(origin.host)” can't be asked for by TLS")
      }
      return ssl
    }

    /// The slot of a connection that is about to begin its handshake.
    func slot(_ ssl: UnsafeMutableRawPointer, in keeper: AnyObject, resume: @escaping () -> Void) throws(LoadError) -> TLSSessionSlot {
      let slot = TLSSessionSlot(
        ssl, in: keeper, tickets: tickets, origin: origin, policy: policy, store: try settings.trustStore(), identities: identities,
        questions: questions, presentsItself: true)
      slot.asked = HandshakeQuestions(slot, questions, known: identities.identity(for: origin), on: eventLoop, resume: resume)
      uls_tls_set_verifier(ssl, TLSSessionSlot.verifier)
      uls_tls_set_responder(ssl, HandshakeQuestions.responder)
      return slot
    }
  }
#endif
