import LoadingModel

/// The server's TLS alerts (RFC 8446, 6) that have error codes of their own: those about client certificates.
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

  /// The alert with this number (RFC 8446, 6.2); nil for other alerts.
  init?(number: UInt8) {
    switch number {
    case 116: self = .certificateRequired
    case 42...46, 48: self = .certificateRejected
    default: return nil
    }
  }

  /// The error if the server has requested a renegotiation of TLS; nil if `error` is another one.
  ///
  /// BoringSSL refuses renegotiation by default. TLS 1.2 servers mostly want it to request a client certificate; at that time the app can't be asked
  /// any more, as the connection's questions end with its first handshake, and HTTP/2 forbids it (RFC 9113, 9.2.1).
  static func renegotiation(in error: any Error) -> LoadError? {
    guard "\(error)".contains(":NO_RENEGOTIATION") else { return nil }
    return LoadError(
      .secureConnectionFailed, .head,
      "the server asked for a renegotiation of TLS, mostly for a client certificate, which isn't supported; have it ask for the "
        + "certificate in the first handshake, or use TLS 1.3")
  }

  var loadError: LoadError {
    switch self {
    case .certificateRequired:
      LoadError(.clientCertificateRequired, .secure, "none was given; answer its challenge with an identity")
    case .certificateRejected:
      LoadError(.clientCertificateRejected, .secure, "the server refused the client's certificate")
    }
  }

  /// The reason in BoringSSL's error text, such as "WRONG_VERSION_NUMBER", without file names and numbers; of another text its beginning.
  static func summary(_ text: String) -> String {
    let fields = text.split(separator: ":")
    return fields.last(where: { $0.contains("_") && $0 == $0.uppercased()[...] }).map(String.init) ?? String(text.prefix(120))
  }
}
