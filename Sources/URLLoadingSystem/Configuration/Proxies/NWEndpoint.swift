/// Where a proxy listens. The part of the type in Apple's Network framework that `ProxyConfiguration` needs.
public enum NWEndpoint: Hashable, Sendable {
  /// A host, by name or by address, and a port.
  case hostPort(host: NWEndpoint.Host, port: NWEndpoint.Port)

  /// A host name or the text of an IP address.
  public struct Host: Hashable, Sendable, ExpressibleByStringLiteral, CustomDebugStringConvertible {
    /// The host as text. IPv6 addresses are without brackets here.
    package let name: String

    /// A host from its name, or from an IPv4 or IPv6 address with or without brackets.
    public init(_ string: String) {
      let isBracketed = string.hasPrefix("[") && string.hasSuffix("]")
      name = isBracketed ? String(string.dropFirst().dropLast()) : string
    }

    /// A host from a string literal.
    public init(stringLiteral value: String) { self.init(value) }

    /// The host as text.
    public var debugDescription: String { name }
  }

  /// A TCP or UDP port.
  public struct Port: Hashable, Sendable, RawRepresentable, ExpressibleByIntegerLiteral, CustomDebugStringConvertible {
    /// The port's number.
    public let rawValue: UInt16

    /// A port from its number. Never nil; failable because Apple's is.
    public init?(rawValue: UInt16) { self.rawValue = rawValue }

    /// A port from decimal digits; nil if they aren't a number in 0…65535.
    public init?(_ service: String) {
      guard let number = UInt16(service) else { return nil }
      rawValue = number
    }

    /// A port from an integer literal.
    public init(integerLiteral value: UInt16) { rawValue = value }

    /// The port's number as text.
    public var debugDescription: String { String(rawValue) }

    /// Any port: 0.
    public static let any: Port = 0
    /// The port of HTTP, 80.
    public static let http: Port = 80
    /// The port of HTTPS, 443.
    public static let https: Port = 443
    /// The port of SOCKS proxies, 1080.
    public static let socks: Port = 1080
  }
}
