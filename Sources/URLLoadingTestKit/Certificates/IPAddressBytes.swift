#if TestKit
  import NIOCore

  /// An IP address literal in network byte order: 4 or 16 bytes.
  struct IPAddressBytes {
    let bytes: [UInt8]

    /// Parses an IPv4 or IPv6 address; nil if `text` isn't an IP address.
    init?(_ text: String) {
      switch try? SocketAddress(ipAddress: text, port: 0) {
      case .v4(let address): bytes = withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
      case .v6(let address): bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
      case .unixDomainSocket, nil: return nil
      }
    }
  }
#endif
