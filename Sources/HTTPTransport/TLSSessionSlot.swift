import CTLSSession
import LoadingModel
import NIOCore
import NIOSSL

/// The tickets one URL session has been given, by origin (RFC 8446, 4.6.1). Confined to the session's event loop.
package final class TLSTicketStore {
  /// Ticket counts that are kept: per origin, and origins in all.
  private static let perOrigin = 4
  private static let origins = 256

  private var tickets: [Origin: [TLSTicket]] = [:]

  package init() {}

  func add(_ ticket: TLSTicket, for origin: Origin) {
    if tickets.count >= TLSTicketStore.origins, tickets[origin] == nil { tickets.removeAll() }
    tickets[origin, default: []].append(ticket)
    if tickets[origin, default: []].count > TLSTicketStore.perOrigin { tickets[origin]?.removeFirst() }
  }

  /// The newest ticket. It is taken out: a TLS 1.3 ticket should be used once (RFC 8446, C.4).
  func take(for origin: Origin) -> TLSTicket? {
    tickets[origin]?.popLast()
  }

  package func removeAll() { tickets.removeAll() }
}

/// One session ticket of BoringSSL's, freed with this object.
final class TLSTicket {
  let session: UnsafeMutableRawPointer
  init(owning session: UnsafeMutableRawPointer) { self.session = session }
  deinit { ctls_free_session(session) }
}

/// What one connection's TLS knows beyond what NIOSSL tells. Owned by the connection; confined to its event loop.
final class TLSSessionSlot {
  private let handler: NIOSSLClientHandler
  private let ssl: UnsafeMutableRawPointer?
  private let store: TLSTicketStore
  private let origin: Origin
  private var fresh: [TLSTicket] = []
  /// Tickets kept of those a server sends during one exchange.
  private static let freshLimit = 4

  init(handler: NIOSSLClientHandler, store: TLSTicketStore, origin: Origin) {
    self.handler = handler
    self.store = store
    self.origin = origin
    ssl = BoringSSLPointer.connection(of: handler)
    guard let ssl else { return }
    ctls_set_slot(ssl, Unmanaged.passUnretained(self).toOpaque())
    if let ticket = store.take(for: origin) { ctls_offer_session(ssl, ticket.session) }
  }

  deinit {
    if let ssl { ctls_set_slot(ssl, nil) }
  }

  static let receiveTicket: ctls_ticket_callback = { slot, session in
    guard let session else { return }
    let ticket = TLSTicket(owning: session)
    guard let slot else { return }
    let owner = Unmanaged<TLSSessionSlot>.fromOpaque(slot).takeUnretainedValue()
    owner.fresh.append(ticket)
    if owner.fresh.count > TLSSessionSlot.freshLimit { owner.fresh.removeFirst() }
  }

  /// Hands new tickets to the store; called when an exchange has ended well.
  func keepTickets() {
    guard !fresh.isEmpty else { return }
    for ticket in fresh { store.add(ticket, for: origin) }
    fresh.removeAll()
  }

  var negotiatedVersion: UInt16? {
    switch handler.tlsVersion {
    case .tlsv1?: 0x0301
    case .tlsv11?: 0x0302
    case .tlsv12?: 0x0303
    case .tlsv13?: 0x0304
    case nil: nil
    }
  }

  var negotiatedCipherSuite: UInt16? {
    guard let ssl else { return nil }
    let number = ctls_cipher_suite(ssl)
    return number == 0 ? nil : number
  }

  var isResumed: Bool { ssl.map { ctls_was_resumed($0) != 0 } ?? false }

  /// The error of a handshake that failed.
  func explain(_ error: any Error) -> LoadError {
    if case NIOSSLExtraError.failedToValidateHostname? = error as? NIOSSLExtraError {
      return LoadError(
        .serverCertificateUntrusted, .secure, "the server's certificate is not for “\(origin.host)”; check the address")
    }
    let text = "\(error)"
    if text.contains("CERTIFICATE_VERIFY_FAILED"), let ssl {
      return TLSSessionSlot.refusal(ctls_verify_result(ssl), isSelfIssued: ctls_peer_is_self_issued(ssl) != 0, host: origin.host)
    }
    if let alert = alert(in: error) { return alert }
    if error is IOError { return TransportErrors.connecting(error) }
    return LoadError(
      .secureConnectionFailed, .secure,
      "the TLS handshake failed (\(TLSAlert.summary(text))); check that the server speaks TLS on this port, and its versions")
  }

  /// The error that an alert of the server stands for, if it has one of its own; with TLS 1.3 it can come after the handshake.
  func alert(in error: any Error) -> LoadError? {
    // TLS 1.2 has no alert of its own for a missing certificate (RFC 5246, 7.4.6: "a fatal handshake failure alert").
    if "\(error)".contains("ALERT_HANDSHAKE_FAILURE"), let ssl, ctls_client_certificate_was_asked(ssl) != 0 {
      return TLSAlert.certificateRequired.loadError
    }
    return TLSAlert(error)?.loadError
  }

  /// X509_V_ERR_… numbers of BoringSSL's certificate check.
  private static func refusal(_ result: Int, isSelfIssued: Bool, host: String) -> LoadError {
    switch result {
    case 10: return LoadError(.serverCertificateHasBadDate, .secure, "the certificate of “\(host)” has expired")
    case 9:
      return LoadError(.serverCertificateNotYetValid, .secure, "the certificate of “\(host)” isn't valid yet; check this machine's clock")
    // A self-signed certificate that may not sign others counts as one whose issuer is missing.
    case 18,
      20 where isSelfIssued, 21 where isSelfIssued:
      return LoadError(.serverCertificateUntrusted, .secure, "the certificate of “\(host)” is self-signed")
    case 62, 64: return LoadError(.serverCertificateUntrusted, .secure, "the server's certificate is not for “\(host)”")
    case 2, 19, 20, 21:
      return LoadError(
        .serverCertificateHasUnknownRoot, .secure,
        "the certificate of “\(host)” comes from an authority that isn't in the trust store; if you trust it, install its certificate there"
      )
    default:
      let reason = ctls_verify_text(result).map { String(cString: $0) } ?? "reason \(result)"
      return LoadError(.serverCertificateUntrusted, .secure, "the certificate of “\(host)” isn't trusted (\(reason))")
    }
  }
}

/// A TLS alert that the server sent (RFC 8446, 6), as far as it has a code of its own.
enum TLSAlert {
  case certificateRequired
  case certificateRejected

  private static let rejections = [
    "BAD_CERTIFICATE", "UNSUPPORTED_CERTIFICATE", "CERTIFICATE_REVOKED", "CERTIFICATE_EXPIRED", "CERTIFICATE_UNKNOWN", "UNKNOWN_CA",
  ]

  init?(_ error: any Error) {
    let text = "\(error)"
    if text.contains("CERTIFICATE_REQUIRED") {
      self = .certificateRequired
    } else if TLSAlert.rejections.contains(where: { text.contains("ALERT_" + $0) }) {
      self = .certificateRejected
    } else {
      return nil
    }
  }

  var loadError: LoadError {
    switch self {
    case .certificateRequired: LoadError(.clientCertificateRequired, .secure, "the server demands a client certificate")
    case .certificateRejected: LoadError(.clientCertificateRejected, .secure, "the server refused the client's certificate")
    }
  }

  /// The reason out of BoringSSL's error text, without file names and numbers.
  static func summary(_ text: String) -> String {
    let fields = text.split(separator: ":")
    return fields.last(where: { $0.contains("_") && $0 == $0.uppercased()[...] }).map(String.init) ?? "handshake failed"
  }
}
