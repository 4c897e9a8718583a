import LoadingModel

// What Apple's metrics don't say of a TLS handshake.

extension URLSessionTaskTransactionMetrics {
  /// What became of the encryption of a connection's client hello (ECH, RFC 9849).
  public enum EncryptedClientHello: String, Sendable, Hashable, CaseIterable {
    /// Nothing was offered: the configuration says `.off`, or forbids TLS 1.3.
    case unused
    /// No keys were known: what was sent only looks as if it was encrypted.
    case greased
    /// It was encrypted, and the server has decrypted it.
    case accepted
    /// As `accepted`, on a second connection: the server had sent new keys on the first.
    case acceptedOnRetry
    /// The server decrypts none, as it has proved on a first connection: the name was sent in the clear on the second.
    case refused
    /// The server hasn't decrypted it, and the load has ended for that reason.
    case rejected
  }

  /// What became of the encryption of the connection's client hello (ECH, RFC 9849); nil without TLS, where the response came from the cache, and
  /// where the handshake hasn't ended. An addition to Apple's API.
  ///
  /// Set when it begins by `URLSessionConfiguration.encryptedClientHello`.
  public var encryptedClientHello: EncryptedClientHello? {
    record.connection?.encryptedHello.flatMap { EncryptedClientHello(rawValue: $0.rawValue) }
  }

  /// The group of a key exchange, by its number in the IANA's registry (RFC 8446, 4.2.7).
  public struct KeyExchangeGroup: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: UInt16

    /// The group of a number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A hybrid of X25519 and ML-KEM-768, which a quantum computer doesn't break either.
    public static let x25519MLKEM768 = KeyExchangeGroup(rawValue: 4588)
    /// Curve25519.
    public static let x25519 = KeyExchangeGroup(rawValue: 29)
    /// NIST's P-256.
    public static let p256 = KeyExchangeGroup(rawValue: 23)
    /// NIST's P-384.
    public static let p384 = KeyExchangeGroup(rawValue: 24)
    /// NIST's P-521.
    public static let p521 = KeyExchangeGroup(rawValue: 25)

    /// Its name, or else its number.
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

  /// The group of the handshake's key exchange, such as X25519MLKEM768; nil without TLS and for key exchanges without one, and where the response came
  /// from the cache. An addition to Apple's API.
  public var negotiatedTLSKeyExchangeGroup: KeyExchangeGroup? {
    record.connection?.keyExchangeGroup.map(KeyExchangeGroup.init(rawValue:))
  }
}
