import CLoadingBoringSSL
import Foundation
import LoadingModel
import NIOCore
import NIOSSL
import ProtocolRules

/// One connection's TLS beyond what NIOSSL does: evaluates the server's trust, keeps tickets, explains failures.
///
/// Owned by the connection; confined to its event loop.
final class TLSSessionSlot {
  /// What `ssl` lives in.
  private let keeper: AnyObject
  let ssl: UnsafeMutableRawPointer
  private let tickets: TLSTicketStore
  private let origin: Origin
  private let policy: TLSPolicy
  private let store: TrustStore
  private let logs: TransparencyLogs?
  /// What the handshake asks the app, if there is one to ask.
  let questions: PeerChallengeHandler?
  /// How a handshake that isn't NIOSSL's asks it.
  var asked: HandshakeQuestions?
  private let identities: ClientIdentityCache
  private let hello: EncryptedHello
  private var presented = Presented.nothing
  private(set) var refusal: LoadError?
  private var acceptance = PeerAcceptance.evaluated
  private let offered: TLSTicket?
  /// Whether loads use the connection before its handshake is over, as the session that is offered lets them (0-RTT).
  var isUsedEarly = false
  /// Whether BoringSSL is given the client certificate here rather than by NIOSSL.
  private let presentsItself: Bool
  private var fresh: [UnsafeMutableRawPointer] = []
  /// Tells of the handshake's messages; nil where nothing watches.
  private var timings: ConnectTimings?
  /// Tickets kept of those a server sends during one exchange.
  private static let freshLimit = 4

  /// The client certificate that has been handed to BoringSSL.
  private enum Presented {
    case nothing
    /// One that the session keeps for the origin.
    case kept
    /// Given for this connection alone: no ticket may carry it on.
    case once
  }

  /// Throws if NIOSSL hides its connection.
  convenience init(
    handler: NIOSSLClientHandler, tickets: TLSTicketStore, origin: Origin, policy: TLSPolicy, store: TrustStore, logs: TransparencyLogs?,
    identities: ClientIdentityCache, questions: PeerChallengeHandler?, hello: EncryptedHello
  ) throws(LoadError) {
    guard let ssl = BoringSSLPointer.connection(of: handler) else { throw TLSContexts.layoutError }
    self.init(
      ssl, in: handler, tickets: tickets, origin: origin, policy: policy, store: store, logs: logs, identities: identities,
      questions: questions, hello: hello, presentsItself: false)
    // With questions, NIOSSL's callback waits for the app.
    if questions == nil { uls_tls_set_verifier(ssl, TLSSessionSlot.verifier) }
  }

  /// - Parameters:
  ///   - keeper: Keeps `ssl` alive.
  ///   - presentsItself: Whether the handshake isn't NIOSSL's.
  init(
    _ ssl: UnsafeMutableRawPointer, in keeper: AnyObject, tickets: TLSTicketStore, origin: Origin, policy: TLSPolicy, store: TrustStore,
    logs: TransparencyLogs?, identities: ClientIdentityCache, questions: PeerChallengeHandler?, hello: EncryptedHello, presentsItself: Bool
  ) {
    self.keeper = keeper
    self.ssl = ssl
    self.tickets = tickets
    self.origin = origin
    self.policy = policy
    self.store = store
    self.logs = logs
    self.identities = identities
    self.questions = questions
    self.hello = hello
    self.presentsItself = presentsItself
    hello.begin(ssl)
    if policy.requiresTransparency { uls_tls_ask_for_timestamps(ssl) }
    offered = tickets.take(for: origin, questions?.takes ?? .unasked)
    uls_tls_set_slot(ssl, Unmanaged.passUnretained(self).toOpaque())
    if let offered { uls_tls_offer_session(ssl, offered.session) }
    questions?.slot = self
  }

  deinit {
    uls_tls_set_slot(ssl, nil)
    for session in fresh { uls_tls_free_session(session) }
  }

  // MARK: judging

  static let verifier: uls_tls_verifier = { slot in
    guard let slot else { return TLSSessionSlot.badCertificate }
    let owner = Unmanaged<TLSSessionSlot>.fromOpaque(slot).takeUnretainedValue()
    if let asked = owner.asked { return asked.verdict() }
    return owner.publicNameVerdict ?? owner.passesEvaluation() ? 0 : TLSSessionSlot.badCertificate
  }

  /// Whether a server that hasn't decrypted the ClientHello is the one of the public name; nil for others, which are the origin's. Such a handshake
  /// leads to no connection: what the app, or the origin's policy, thinks of its servers isn't asked (RFC 9849, 6.1.7).
  var publicNameVerdict: Bool? {
    guard let name = hello.publicName(ssl) else { return nil }
    let verdict = TrustEvaluation.verdict(onPeerOf: ssl, for: TrustRequirement(usage: .server, host: name), store: store)
    guard let error = verdict.error(host: name) else { return true }
    refuse(
      LoadError(
        .secureConnectionFailed, .secure,
        "the server doesn't decrypt the client hello for “\(origin.host)”, and hasn't proved to be “\(name)”, which should: \(error.message)"
      ))
    return false
  }

  /// Whether the server hasn't decrypted the ClientHello.
  var isHelloRejected: Bool { hello.publicName(ssl) != nil }

  /// The error of a handshake that BoringSSL has ended because of that.
  func helloRejection() -> LoadError { hello.rejected(ssl, for: origin) }

  /// The alert "bad_certificate" (RFC 8446, 6.2).
  static let badCertificate: UInt8 = 42

  /// What the server presented in this handshake.
  var peerTrust: PeerTrust {
    let list = PieceList()
    uls_tls_peer_chain(ssl, PieceList.receive, list.context)
    return PeerTrust(host: origin.serverName, port: origin.port, certificates: list.pieces, store: store)
  }

  /// Distinguished names, in DER, of the issuers whose client certificates the server accepts.
  var acceptableIssuers: [Data] {
    let list = PieceList()
    uls_tls_accepted_issuers(ssl, PieceList.receive, list.context)
    return list.pieces
  }

  /// Has the messages of the handshake told, where the connection is watched.
  func tellMessages(_ timings: ConnectTimings) {
    guard timings.watcher != nil else { return }
    self.timings = timings
    uls_tls_watch_messages(ssl) { slot, isSent, type, length in
      guard let slot else { return }
      let owner = Unmanaged<TLSSessionSlot>.fromOpaque(slot).takeUnretainedValue()
      owner.timings?.tell(.handshakeMessage(type: type, isSent: isSent != 0, length: length))
    }
  }

  /// Answers the server's request for a client certificate; nil for none.
  func present(_ identity: ClientIdentity?, isKept: Bool, _ promise: EventLoopPromise<NIOSSLContextConfigurationOverride>) {
    guard let identity else { return promise.succeed(.noChanges) }
    do throws(LoadError) {
      let override = presentsItself ? NIOSSLContextConfigurationOverride.noChanges : try identity.presented()
      if presentsItself { try identity.present(to: ssl) }
      presented = isKept ? .kept : .once
      promise.succeed(override)
    } catch {
      refuse(error)
      promise.fail(error)
    }
  }

  /// Notes why this connection can't be; the first reason is kept.
  func refuse(_ error: LoadError) {
    if refusal == nil { refusal = error }
  }

  /// The server doesn't resume the session: the requests that were sent early, which it has refused, go to a connection of their own.
  func refuseUnknownSession() {
    var error = LoadError(.networkConnectionLost, .secure, "the server no longer knows the TLS session that early requests relied on")
    error.resendReason = .refused
    refuse(error)
    // It won't know the others either.
    tickets.removeAll(for: origin)
  }

  /// Whether the server is trusted after what the app said.
  ///
  /// - Parameter decider: The number of the delegate that was asked.
  func accepts(_ answer: TrustAnswer, by decider: Int) -> Bool {
    switch answer {
    case .trusted:
      if case .denied = policy.overrides { return passesEvaluation(.confirmed) }
      // An app that pins says so of certificates that are good anyway: nothing is overridden then.
      acceptance = verdict.error(host: origin.serverName) == nil ? .confirmed : .overridden(by: decider)
      return true
    case .standard: return passesEvaluation(.confirmed)
    case .cancelled:
      refuse(.cancelled(.secure))
      return false
    case .refused:
      refuse(withPeer(LoadError(.serverCertificateUntrusted, .secure, "the app doesn't trust the certificate of “\(origin.serverName)”")))
      return false
    }
  }

  private var verdict: TrustVerdict {
    TrustEvaluation.verdict(onPeerOf: ssl, for: TrustRequirement(usage: .server, host: origin.serverName), store: store)
      .meeting(policy, store, evidence)
  }

  private var evidence: TransparencyEvidence {
    let (timestamps, staple) = (uls_tls_timestamps(ssl), uls_tls_staple(ssl))
    return TransparencyEvidence(
      logs: logs, timestamps: Array(UnsafeBufferPointer(start: timestamps.data, count: timestamps.length)),
      staple: Array(UnsafeBufferPointer(start: staple.data, count: staple.length)))
  }

  func passesEvaluation(_ acceptance: PeerAcceptance = .evaluated) -> Bool {
    let verdict = verdict
    self.acceptance = acceptance
    guard let error = verdict.error(host: origin.serverName) else { return true }
    refuse(withPeer(error))
    return false
  }

  /// Whether the server's certificate is good for another host too, and this side has shown none: then the connection may serve that host.
  func vouches(for host: String) -> Bool {
    guard case .nothing = presented, peerAcceptance == .evaluated else { return false }
    let verdict = TrustEvaluation.verdict(onPeerOf: ssl, for: TrustRequirement(usage: .server, host: host), store: store)
    return verdict.meeting(policy, store, evidence).error(host: host) == nil
  }

  private func withPeer(_ error: LoadError) -> LoadError {
    var error = error
    error.peer = peerTrust
    return error
  }

  /// How the server came to be accepted, now or in the handshake that is resumed.
  var peerAcceptance: PeerAcceptance { (isResumed ? offered?.acceptance : nil) ?? acceptance }

  /// How the server of the session that is offered came to be accepted; nil if none is offered.
  var offeredAcceptance: PeerAcceptance? { offered?.acceptance }

  /// The suite of the session that is offered; nil if none is.
  var offeredCipherSuite: UInt16? {
    guard let number = offered.map({ uls_tls_session_cipher_suite($0.session) }), number != 0 else { return nil }
    return number
  }

  // MARK: tickets

  static let receiveTicket: uls_tls_ticket_callback = { slot, session in
    guard let session else { return }
    guard let slot else { return uls_tls_free_session(session) }
    let owner = Unmanaged<TLSSessionSlot>.fromOpaque(slot).takeUnretainedValue()
    owner.fresh.append(session)
    if owner.fresh.count > TLSSessionSlot.freshLimit { uls_tls_free_session(owner.fresh.removeFirst()) }
  }

  /// The connection is ready: the load it was made for is no longer needed.
  func handshakeEnded() {
    isUsedEarly = false
    timings = nil
    questions?.finish()
  }

  /// Hands new tickets to the store; called when an exchange has ended well.
  func keepTickets() {
    switch presented {
    case .nothing: break
    case .kept: identities.accepted(by: origin)
    case .once: return identities.accepted(by: origin)
    }
    guard !fresh.isEmpty else { return }
    let acceptance = peerAcceptance
    for session in fresh { tickets.add(TLSTicket(owning: session, acceptance), for: origin) }
    fresh.removeAll()
  }

  // MARK: facts

  /// What the server has shown, if it is to be kept; a session that is resumed shows nothing.
  var keptCertificates: [Data]? { isResumed ? nil : ConnectionFacts.kept(peerTrust.certificates) }

  var negotiatedVersion: UInt16? {
    // Before the handshake BoringSSL names a version as well, but no suite.
    negotiatedCipherSuite == nil ? nil : uls_tls_version(ssl)
  }

  var negotiatedCipherSuite: UInt16? {
    let number = uls_tls_cipher_suite(ssl)
    return number == 0 ? nil : number
  }

  /// IANA number of the key exchange's group; nil before the handshake, and where there was none.
  var keyExchangeGroup: UInt16? {
    let group = uls_tls_group(ssl)
    return group == 0 ? nil : group
  }

  /// Whether the ClientHello was encrypted. After the handshake.
  var encryptedHello: EncryptedHelloUse { hello.use(ssl) }

  /// What the handshake has come to.
  func facts(_ applicationProtocol: String?) -> SecuredConnection {
    SecuredConnection(
      version: negotiatedVersion, cipherSuite: negotiatedCipherSuite, group: keyExchangeGroup, encryptedHello: encryptedHello,
      applicationProtocol: applicationProtocol, isResumed: isResumed, isTrustOverridden: peerAcceptance.isOverridden,
      certificates: peerTrust.certificates)
  }

  var isResumed: Bool { uls_tls_was_resumed(ssl) != 0 }

  /// The error of a handshake that failed.
  func explain(_ error: any Error) -> LoadError {
    if let refusal { return refusal }
    if "\(error)".contains("ECH_REJECTED") { return helloRejection() }
    if let alert = alert(in: error) { return alert }
    if let broken = error as? IOError {
      let mapped = TransportErrors.posix(broken, .secure)
      // A reset is one way to break off, an end the other.
      return mapped.kind == .networkConnectionLost ? TLSSessionSlot.brokenOff(posixCode: broken.errnoCode) : mapped
    }
    if TLSSessionSlot.isEnd(error) { return TLSSessionSlot.brokenOff() }
    return LoadError(
      .secureConnectionFailed, .secure,
      "the TLS handshake failed (\(TLSAlert.summary("\(error)"))); check that the server speaks TLS on this port, and its versions")
  }

  /// The server has ended the connection in the middle of the handshake, by FIN or by RST.
  static func brokenOff(posixCode: Int32? = nil) -> LoadError {
    var error = LoadError(
      .secureConnectionFailed, .secure,
      "the server broke off the TLS handshake; check that it speaks TLS on this port, and its versions", posixCode: posixCode)
    error.resendReason = .cutOff
    return error
  }

  /// Whether the peer has closed the connection, rather than sent something that is an error in TLS.
  private static func isEnd(_ error: any Error) -> Bool {
    switch error {
    case NIOSSLError.uncleanShutdown: true
    case NIOSSLError.handshakeFailed(.sslError(let stack)): stack == [.eofDuringHandshake]
    default: false
    }
  }

  /// The error of the server's alert, if it has one of its own; with TLS 1.3 it can come after the handshake.
  func alert(in error: any Error) -> LoadError? {
    if let refused = TLSAlert.renegotiation(in: error) { return refused }
    var alert = TLSAlert(error)
    // TLS 1.2 has no alert of its own for a missing certificate (RFC 5246, 7.4.6: "a fatal handshake failure alert").
    if alert == nil, "\(error)".contains("ALERT_HANDSHAKE_FAILURE"), uls_tls_client_certificate_was_asked(ssl) != 0 {
      alert = .certificateRequired
    }
    return meaning(of: alert)
  }

  /// The error of an alert of the server's, by its number; nil if it has none of its own.
  func peerAlert(_ number: UInt8) -> LoadError? { meaning(of: TLSAlert(number: number)) }

  private func meaning(of alert: TLSAlert?) -> LoadError? {
    guard let alert else { return nil }
    guard presented != .nothing else { return alert.loadError }
    tickets.removeAll(for: origin)
    // The server didn't want it: the next connection asks again.
    identities.rejected(by: origin)
    return TLSAlert.certificateRejected.loadError
  }
}
