/// The namespace of `Options`, as in Apple's Network framework.
public enum NWProtocolTLS {
  /// Says that the connection to a proxy uses TLS. It has no settings; two are equal only if they are the same object.
  public final class Options: Hashable, Sendable {
    /// TLS with the system's defaults.
    public init() {}

    /// Whether both are the same object: options have no values to compare.
    public static func == (lhs: Options, rhs: Options) -> Bool { lhs === rhs }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }
}
