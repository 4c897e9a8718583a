import LoadingModel

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

  /// RFC 8446, 6.2.
  init?(number: UInt8) {
    switch number {
    case 116: self = .certificateRequired
    case 42...46, 48: self = .certificateRejected
    default: return nil
    }
  }

  /// The error of a handshake that the server wants in the middle of a connection; nil if `error` is another.
  ///
  /// BoringSSL refuses it unless told otherwise. The certificate that servers of TLS 1.2 mostly ask for so couldn't be found by then: the
  /// connection's questions to the app end with its first handshake, and HTTP/2 forbids it (RFC 9113, 9.2.1).
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

  /// The reason out of BoringSSL's error text, without file names and numbers.
  static func summary(_ text: String) -> String {
    let fields = text.split(separator: ":")
    return fields.last(where: { $0.contains("_") && $0 == $0.uppercased()[...] }).map(String.init) ?? "handshake failed"
  }
}
