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
