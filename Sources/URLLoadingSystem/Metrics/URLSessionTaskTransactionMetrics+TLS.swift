import LoadingModel

// Facts about a TLS handshake that Apple's metrics don't contain.

extension URLSessionTaskTransactionMetrics {
  /// Whether a connection's ClientHello was encrypted (ECH, RFC 9849), and how the server took that.
  public enum EncryptedClientHello: String, Sendable, Hashable, CaseIterable {
    /// ECH wasn't offered: the configuration says `.off`, or forbids TLS 1.3.
    case unused
    /// The server's keys weren't known: the ClientHello only looks as if it was encrypted (GREASE).
    case greased
    /// The ClientHello was encrypted, and the server has decrypted it.
    case accepted
    /// As `accepted`, on a second connection: the server had sent new keys on the first.
    case acceptedOnRetry
    /// The server has proved on a first connection that it doesn't support ECH: on the second the name was sent in the clear.
    case refused
    /// The server hasn't decrypted the ClientHello, and the load has failed because of that.
    case rejected
  }

  /// Whether the connection's ClientHello was encrypted (ECH, RFC 9849), and how the server took that; nil without TLS, if the response came from the
  /// cache, and before the handshake has ended. An addition to Apple's API.
  ///
  /// `URLSessionConfiguration.encryptedClientHello` decides whether ECH is offered.
  public var encryptedClientHello: EncryptedClientHello? {
    record.connection?.encryptedHello.flatMap { EncryptedClientHello(rawValue: $0.rawValue) }
  }

  /// A key exchange group of TLS, by its number in the IANA registry of "supported groups" (RFC 8446, 4.2.7).
  public struct KeyExchangeGroup: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: UInt16

    /// The group with this number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The hybrid of X25519 and ML-KEM-768, which is meant to resist quantum computers too.
    public static let x25519MLKEM768 = KeyExchangeGroup(rawValue: 4588)
    /// X25519: elliptic-curve Diffie-Hellman over Curve25519.
    public static let x25519 = KeyExchangeGroup(rawValue: 29)
    /// secp256r1: NIST's curve P-256.
    public static let p256 = KeyExchangeGroup(rawValue: 23)
    /// secp384r1: NIST's curve P-384.
    public static let p384 = KeyExchangeGroup(rawValue: 24)
    /// secp521r1: NIST's curve P-521.
    public static let p521 = KeyExchangeGroup(rawValue: 25)

    /// The group's name, such as "X25519"; its number if the group has no constant here.
    public var description: String {
      switch self {
      case .x25519MLKEM768: "X25519MLKEM768"
      case .x25519: "X25519"
      case .p256: "P-256"
      case .p384: "P-384"
      case .p521: "P-521"
      default: "group 0x\(String(rawValue, radix: 16))"
      }
    }
  }

  /// The group of the handshake's key exchange, such as X25519MLKEM768; nil without TLS, for key exchanges without a group, and if the response came
  /// from the cache. An addition to Apple's API.
  public var negotiatedTLSKeyExchangeGroup: KeyExchangeGroup? {
    record.connection?.keyExchangeGroup.map(KeyExchangeGroup.init(rawValue:))
  }
}
