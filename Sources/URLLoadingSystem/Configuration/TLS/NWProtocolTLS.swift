/// The namespace of `Options`, as in Apple's Network framework.
public enum NWProtocolTLS {
  /// That TLS is wanted on the way to a proxy. Opaque: it has no settings; two are equal if they are the same object.
  public final class Options: Hashable, Sendable {
    /// TLS with the system's defaults.
    public init() {}

    /// Whether both are the same object.
    public static func == (lhs: Options, rhs: Options) -> Bool { lhs === rhs }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }
}
