import CLoadingBoringSSL
import NIOCore
import NIOSSL

/// Lets a QUIC handshake, which isn't NIOSSL's, wait for the app: BoringSSL's callbacks return ULS_TLS_WAIT, and are called again after `resume`.
///
/// Owned by the handshake's slot; confined to the event loop.
final class HandshakeQuestions: @unchecked Sendable {
  // @unchecked: confined to the event loop, on which BoringSSL calls back and the promises are completed.

  private enum State {
    case unasked
    case waiting
    case answered(Bool)
  }

  private let questions: PeerChallengeHandler?
  private let known: ClientIdentity?
  private let eventLoop: any EventLoop
  private unowned let slot: TLSSessionSlot
  /// Continues the handshake after the app has answered.
  private let resume: () -> Void
  private var trust = State.unasked
  private var identity = State.unasked
  /// Whether a question is being asked just now: if it is answered at once, the handshake needs no resuming.
  private var isAsking = false

  init(
    _ slot: TLSSessionSlot, _ questions: PeerChallengeHandler?, known: ClientIdentity?, on eventLoop: any EventLoop,
    resume: @escaping () -> Void
  ) {
    self.slot = slot
    self.questions = questions
    self.known = known
    self.eventLoop = eventLoop
    self.resume = resume
  }

  static let responder: uls_tls_responder = { slot in
    guard let slot else { return 0 }
    return Unmanaged<TLSSessionSlot>.fromOpaque(slot).takeUnretainedValue().asked?.identityAnswer() ?? 1
  }

  /// The verifier's answer to BoringSSL: 0 if the server is trusted, the number of an alert, or ULS_TLS_WAIT.
  func verdict() -> UInt8 {
    // Early requests were sent because the resumed session's server had been accepted. This is a full handshake: the server would have to be accepted
    // again for each of their loads, so the connection is refused, and the requests are sent on another one.
    if slot.isUsedEarly, questions != nil || slot.offeredAcceptance != .evaluated || slot.isHelloRejected {
      slot.refuseUnknownSession()
      return TLSSessionSlot.badCertificate
    }
    if let isPublic = slot.publicNameVerdict { return isPublic ? 0 : TLSSessionSlot.badCertificate }
    guard let questions else { return slot.passesEvaluation() ? 0 : TLSSessionSlot.badCertificate }
    if case .unasked = trust {
      if questions.requiresEvaluation, !slot.passesEvaluation(.confirmed) { return TLSSessionSlot.badCertificate }
      trust = .waiting
      let promise = eventLoop.makePromise(of: NIOSSLVerificationResult.self)
      isAsking = true
      promise.futureResult.whenComplete { [weak self] result in
        guard let self else { return }
        if case .success(.certificateVerified) = result { trust = .answered(true) } else { trust = .answered(false) }
        if !isAsking { resume() }
      }
      questions.evaluate(promise)
      isAsking = false
    }
    switch trust {
    case .answered(let isTrusted): return isTrusted ? 0 : TLSSessionSlot.badCertificate
    case .unasked, .waiting: return UInt8(ULS_TLS_WAIT)
    }
  }

  /// The responder's answer to BoringSSL: 1 if the handshake can continue, with or without a client certificate, 0 to end it, or ULS_TLS_WAIT.
  private func identityAnswer() -> Int32 {
    if case .unasked = identity {
      identity = .waiting
      let promise = eventLoop.makePromise(of: NIOSSLContextConfigurationOverride.self)
      isAsking = true
      promise.futureResult.whenComplete { [weak self] result in
        guard let self else { return }
        if case .success = result { identity = .answered(true) } else { identity = .answered(false) }
        if !isAsking { resume() }
      }
      if let questions { questions.identify(slot.acceptableIssuers, promise) } else { slot.present(known, isKept: true, promise) }
      isAsking = false
    }
    switch identity {
    case .answered(let goesOn): return goesOn ? 1 : 0
    case .unasked, .waiting: return Int32(ULS_TLS_WAIT)
    }
  }
}
