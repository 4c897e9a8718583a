/// What a server presented to prove who it is, to be judged. Immutable.
public final class SecTrust: Hashable, Sendable {
  /// The server's certificate first, then those it sent along.
  package let chain: [SecCertificate]
  /// The host that the certificate must be for.
  package let host: String

  package init(chain: [SecCertificate], host: String) {
    self.chain = chain
    self.host = host
  }

  /// Whether both hold the same chain for the same host.
  public static func == (lhs: SecTrust, rhs: SecTrust) -> Bool { lhs.host == rhs.host && lhs.chain == rhs.chain }

  /// Hashes host and chain.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(host)
    hasher.combine(chain)
  }
}
