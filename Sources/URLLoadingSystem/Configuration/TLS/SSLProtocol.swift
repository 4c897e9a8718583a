/// A TLS version as Secure Transport numbered it: the type of a configuration's deprecated properties.
@available(*, deprecated, message: "Use tls_protocol_version_t.")
public enum SSLProtocol: Int32, Sendable {
  /// No version, or the default.
  case sslProtocolUnknown = 0
  /// SSL 2.0. Never negotiated.
  case sslProtocol2 = 1
  /// SSL 3.0. Never negotiated.
  case sslProtocol3 = 2
  /// SSL 3.0 and nothing else. Never negotiated.
  case sslProtocol3Only = 3
  /// TLS 1.0.
  case tlsProtocol1 = 4
  /// TLS 1.0 and nothing else.
  case tlsProtocol1Only = 5
  /// Every version.
  case sslProtocolAll = 6
  /// TLS 1.1.
  case tlsProtocol11 = 7
  /// TLS 1.2.
  case tlsProtocol12 = 8
  /// DTLS 1.0.
  case dtlsProtocol1 = 9
  /// TLS 1.3.
  case tlsProtocol13 = 10
  /// DTLS 1.2.
  case dtlsProtocol12 = 11
  /// The newest version there is.
  case tlsProtocolMaxSupported = 999
}

@available(*, deprecated)
extension SSLProtocol {
  init(_ version: tls_protocol_version_t) {
    self =
      switch version {
      case .TLSv10: .tlsProtocol1
      case .TLSv11: .tlsProtocol11
      case .TLSv12: .tlsProtocol12
      case .TLSv13: .tlsProtocol13
      case .DTLSv10: .dtlsProtocol1
      case .DTLSv12: .dtlsProtocol12
      }
  }

  /// The version for which this stands as a lower bound. SSL 2 and 3 are prohibited (RFC 6176, RFC 7568): they mean the lowest supported version, TLS
  /// 1.0.
  var asMinimum: tls_protocol_version_t {
    switch self {
    case .sslProtocolUnknown: .TLSv12
    case .sslProtocol2, .sslProtocol3, .sslProtocol3Only, .sslProtocolAll, .tlsProtocol1, .tlsProtocol1Only: .TLSv10
    case .tlsProtocol11: .TLSv11
    case .tlsProtocol12: .TLSv12
    case .tlsProtocol13, .tlsProtocolMaxSupported: .TLSv13
    case .dtlsProtocol1: .DTLSv10
    case .dtlsProtocol12: .DTLSv12
    }
  }

  /// The version for which this stands as an upper bound; SSL 2 and 3 mean TLS 1.0.
  var asMaximum: tls_protocol_version_t {
    switch self {
    case .sslProtocolUnknown, .sslProtocolAll, .tlsProtocol13, .tlsProtocolMaxSupported: .TLSv13
    case .sslProtocol2, .sslProtocol3, .sslProtocol3Only, .tlsProtocol1, .tlsProtocol1Only: .TLSv10
    case .tlsProtocol11: .TLSv11
    case .tlsProtocol12: .TLSv12
    case .dtlsProtocol1: .DTLSv10
    case .dtlsProtocol12: .DTLSv12
    }
  }
}
