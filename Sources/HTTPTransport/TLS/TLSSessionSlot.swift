import CLoadingBoringSSL
import Foundation
import LoadingModel
import NIOCore
import NIOSSL
import ProtocolRules

/// The TLS features of one connection that NIOSSL lacks: trust evaluation, session tickets, Encrypted Client Hello, and explanations of failures.
///
/// Owned by the connection; confined to its event loop.
final class TLSSessionSlot {
  /// The object that owns `ssl`.
  private let keeper: AnyObject
  let ssl: UnsafeMutableRawPointer
  private let tickets: TLSTicketStore
  /// The store's `round` when the connection was begun.
  private let round: Int
  private let origin: Origin
  private let policy: TLSPolicy
  private let store: TrustStore
  private let logs: TransparencyLogs?
  /// The questions of the handshake to the app; nil if no app can be asked.
  let questions: PeerChallengeHandler?
  /// Asks these questions in a QUIC handshake; nil for NIOSSL's.
  var asked: HandshakeQuestions?
  private let identities: ClientIdentityCache
  private let hello: EncryptedHello
  private var presented = Presented.nothing
  private(set) var refusal: LoadError?
  private var acceptance = PeerAcceptance.evaluated
  private let offered: TLSTicket?
  /// Whether loads use the connection before its handshake is complete, by early data (0-RTT) in a resumed session.
  var isUsedEarly = false
  /// Whether this object passes the client certificate to BoringSSL (QUIC); otherwise NIOSSL does.
  private let presentsItself: Bool
  private var fresh: [UnsafeMutableRawPointer] = []
  /// Reports the handshake's messages to a watcher; nil if there is none.
  private var timings: ConnectTimings?
  /// The most tickets of one connection that are kept until they are stored.
  private static let freshLimit = 4

  /// Whether a client certificate has been passed to BoringSSL, and which.
  private enum Presented {
    case nothing
    /// A certificate that the session also uses for later connections to the origin.
    case kept
    /// A certificate for this connection alone: its tickets aren't stored, as resumption would use it again.
    case once
  }

  /// Throws if BoringSSL's connection can't be found in NIOSSL's handler.
  convenience init(
    handler: NIOSSLClientHandler, tickets: TLSTicketStore, origin: Origin, policy: TLSPolicy, store: TrustStore, logs: TransparencyLogs?,
    identities: ClientIdentityCache, questions: PeerChallengeHandler?, hello: EncryptedHello
  ) throws(LoadError) {
    guard let ssl = BoringSSLPointer.connection(of: handler) else { throw TLSContexts.layoutError }
    self.init(
      ssl, in: handler, tickets: tickets, origin: origin, policy: policy, store: store, logs: logs, identities: identities,
      questions: questions, hello: hello, presentsItself: false)
    // With questions, NIOSSL's own callback is used, which can wait for the app.
    if questions == nil { uls_tls_set_verifier(ssl, TLSSessionSlot.verifier) }
  }

  /// - Parameters:
  /// - keeper: Keeps `ssl` alive.
  /// - presentsItself: Whether this object passes the client certificate to BoringSSL, as for QUIC.
  init(
    _ ssl: UnsafeMutableRawPointer, in keeper: AnyObject, tickets: TLSTicketStore, origin: Origin, policy: TLSPolicy, store: TrustStore,
    logs: TransparencyLogs?, identities: ClientIdentityCache, questions: PeerChallengeHandler?, hello: EncryptedHello, presentsItself: Bool
  ) {
    self.keeper = keeper
    self.ssl = ssl
    self.tickets = tickets
    round = tickets.round
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

  // MARK: trust evaluation

  static let verifier: uls_tls_verifier = { slot in
    guard let slot else { return TLSSessionSlot.badCertificate }
    let owner = Unmanaged<TLSSessionSlot>.fromOpaque(slot).takeUnretainedValue()
    if let asked = owner.asked { return asked.verdict() }
    return owner.publicNameVerdict ?? owner.passesEvaluation() ? 0 : TLSSessionSlot.badCertificate
  }

  /// Whether a server that hasn't decrypted the ClientHello has a certificate for the public name; nil if it has decrypted it, or none was encrypted.
  /// The handshake then ends without a connection, so neither the app nor the origin's policy is asked (RFC 9849, 6.1.7).
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

  /// Whether the server hasn't decrypted the encrypted ClientHello.
  var isHelloRejected: Bool { hello.publicName(ssl) != nil }

  /// The error of a handshake that BoringSSL has ended with ECH_REJECTED.
  func helloRejection() -> LoadError { hello.rejected(ssl, for: origin) }

  /// The alert "bad_certificate" (RFC 8446, 6.2).
  static let badCertificate: UInt8 = 42

  /// The certificates that the server presented in this handshake, with the terms of their evaluation.
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

  /// Reports the messages of the handshake to the watcher of `timings`, if there is one.
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

  /// Notes the error with which this connection fails; only the first one counts.
  func refuse(_ error: LoadError) {
    if refusal == nil { refusal = error }
  }

  /// The server hasn't resumed the session and so has refused the early data: its requests are sent on another connection.
  func refuseUnknownSession() {
    var error = LoadError(.networkConnectionLost, .secure, "the server no longer knows the TLS session that early requests relied on")
    error.resendReason = .refused
    refuse(error)
    // Other tickets for the origin are probably unknown to the server as well.
    tickets.removeAll(for: origin)
  }

  /// Applies the app's answer about the server; returns whether the handshake continues.
  ///
  /// - Parameter decider: The number of the delegate that was asked.
  func accepts(_ answer: TrustAnswer, by decider: Int) -> Bool {
    switch answer {
    case .trusted:
      if case .denied = policy.overrides { return passesEvaluation(.confirmed) }
      // If the certificates also pass the evaluation, as with an app that checks pins, the app has overridden nothing.
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

  /// Whether the connection may also serve `host`: the server's certificate is valid for it, and no client certificate was presented.
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

  /// Why the server was accepted, in this handshake or in the one that created the resumed session.
  var peerAcceptance: PeerAcceptance { (isResumed ? offered?.acceptance : nil) ?? acceptance }

  /// Why the server of the offered session was accepted; nil if no session is offered.
  var offeredAcceptance: PeerAcceptance? { offered?.acceptance }

  /// The cipher suite of the offered session; nil if no session is offered.
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

  /// The handshake is complete: ends its questions and its reporting.
  func handshakeEnded() {
    isUsedEarly = false
    timings = nil
    questions?.finish()
  }

  /// Stores the new tickets for later connections, unless the session has forgotten its tickets since; called when an exchange has ended successfully.
  func keepTickets() {
    switch presented {
    case .nothing: break
    case .kept: identities.accepted(by: origin)
    case .once: return identities.accepted(by: origin)
    }
    guard !fresh.isEmpty, round == tickets.round else { return }
    let acceptance = peerAcceptance
    for session in fresh { tickets.add(TLSTicket(owning: session, acceptance), for: origin) }
    fresh.removeAll()
  }

  // MARK: facts of the handshake

  /// The server's certificates for metrics, if they are recorded; nil for a resumed session, in which the server sends none.
  var keptCertificates: [Data]? { isResumed ? nil : ConnectionFacts.kept(peerTrust.certificates) }

  var negotiatedVersion: UInt16? {
    // Before the handshake BoringSSL names a version as well, but no suite.
    negotiatedCipherSuite == nil ? nil : uls_tls_version(ssl)
  }

  var negotiatedCipherSuite: UInt16? {
    let number = uls_tls_cipher_suite(ssl)
    return number == 0 ? nil : number
  }

  /// IANA number of the group of the key exchange; nil before the handshake, and if a session was resumed without one.
  var keyExchangeGroup: UInt16? {
    let group = uls_tls_group(ssl)
    return group == 0 ? nil : group
  }

  /// The result of Encrypted Client Hello, after the handshake.
  var encryptedHello: EncryptedHelloUse { hello.use(ssl) }

  /// The result of the handshake, for watchers.
  func facts(_ applicationProtocol: String?) -> SecuredConnection {
    SecuredConnection(
      version: negotiatedVersion, cipherSuite: negotiatedCipherSuite, group: keyExchangeGroup, encryptedHello: encryptedHello,
      applicationProtocol: applicationProtocol, isResumed: isResumed, isTrustOverridden: peerAcceptance.isOverridden,
      certificates: peerTrust.certificates)
  }

  var isResumed: Bool { uls_tls_was_resumed(ssl) != 0 }

  /// Maps the error of a failed handshake to a `LoadError`.
  func explain(_ error: any Error) -> LoadError {
    if let refusal { return refusal }
    if "\(error)".contains("ECH_REJECTED") { return helloRejection() }
    if let alert = alert(in: error) { return alert }
    if let broken = error as? IOError {
      let mapped = TransportErrors.posix(broken, .secure)
      // The server broke off the handshake by a reset; `isEnd` below covers a regular close.
      return mapped.kind == .networkConnectionLost ? TLSSessionSlot.brokenOff(posixCode: broken.errnoCode) : mapped
    }
    if TLSSessionSlot.isEnd(error) { return TLSSessionSlot.brokenOff() }
    return LoadError(
      .secureConnectionFailed, .secure,
      "the TLS handshake failed (\(TLSAlert.summary("\(error)"))); check that the server speaks TLS on this port, and its versions")
  }

  /// The error for a handshake that the server has broken off by closing or resetting the connection.
  static func brokenOff(posixCode: Int32? = nil) -> LoadError {
    var error = LoadError(
      .secureConnectionFailed, .secure,
      "the server broke off the TLS handshake; check that it speaks TLS on this port, and its versions", posixCode: posixCode)
    error.resendReason = .cutOff
    return error
  }

  /// Whether the peer has closed the connection, without a TLS error other than its alert "close_notify".
  private static func isEnd(_ error: any Error) -> Bool {
    switch error {
    case NIOSSLError.uncleanShutdown, NIOSSLError.handshakeFailed(.zeroReturn), NIOSSLError.handshakeFailed(.syscallError): true
    case NIOSSLError.handshakeFailed(.sslError(let stack)): stack.isEmpty || stack == [.eofDuringHandshake]
    // The connection was closed while a part of the handshake was to be written.
    case ChannelError.eof, ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed, ChannelError.inputClosed, ChannelError.outputClosed:
      true
    default: false
    }
  }

  /// The error for the server's alert, if it is one about client certificates or a renegotiation; nil for others. With TLS 1.3 it can arrive after
  /// the handshake.
  func alert(in error: any Error) -> LoadError? {
    if let refused = TLSAlert.renegotiation(in: error) { return refused }
    var alert = TLSAlert(error)
    // TLS 1.2 has no alert of its own for a missing certificate (RFC 5246, 7.4.6: "a fatal handshake failure alert").
    if alert == nil, "\(error)".contains("ALERT_HANDSHAKE_FAILURE"), uls_tls_client_certificate_was_asked(ssl) != 0 {
      alert = .certificateRequired
    }
    return meaning(of: alert)
  }

  /// The error for the server's alert with this number; nil if it isn't about client certificates.
  func peerAlert(_ number: UInt8) -> LoadError? { meaning(of: TLSAlert(number: number)) }

  private func meaning(of alert: TLSAlert?) -> LoadError? {
    guard let alert else { return nil }
    guard presented != .nothing else { return alert.loadError }
    tickets.removeAll(for: origin)
    // The server has rejected the certificate: it isn't kept, and the next connection asks the app again.
    identities.rejected(by: origin)
    return TLSAlert.certificateRejected.loadError
  }
}
