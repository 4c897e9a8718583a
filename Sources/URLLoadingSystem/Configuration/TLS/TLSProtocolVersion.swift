/// A version of TLS or DTLS, by the number it has on the wire.
///
/// Has the name and the cases of the type in Apple's Security framework.
public enum tls_protocol_version_t: UInt16, Sendable {
  /// TLS 1.0. Obsolete (RFC 8996).
  case TLSv10 = 0x0301
  /// TLS 1.1. Obsolete (RFC 8996).
  case TLSv11 = 0x0302
  /// TLS 1.2.
  case TLSv12 = 0x0303
  /// TLS 1.3.
  case TLSv13 = 0x0304
  /// DTLS 1.0. Obsolete (RFC 8996).
  case DTLSv10 = 0xfeff
  /// DTLS 1.2.
  case DTLSv12 = 0xfefd
}
