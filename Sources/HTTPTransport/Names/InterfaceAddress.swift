import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// One entry of getifaddrs(3) for a network interface that is up: an address of it.
package struct InterfaceAddress {
  package let interface: String
  package let isLoopback: Bool
  /// The IP address as `inet_ntop` writes it; nil if the entry is of another address family, such as the link layer's, or has no address.
  package let address: String?

  /// Those of all interfaces that are up (getifaddrs(3)); nil if the system doesn't say.
  package static func all() -> [InterfaceAddress]? {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    var found: [InterfaceAddress] = []
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      guard entry.ifa_flags & UInt32(IFF_UP) != 0, let name = entry.ifa_name else { continue }
      let address = entry.ifa_addr.flatMap { SocketAddress($0) }?.ipAddress
      let isLoopback = entry.ifa_flags & UInt32(IFF_LOOPBACK) != 0
      found.append(InterfaceAddress(interface: String(cString: name), isLoopback: isLoopback, address: address))
    }
    return found
  }
}

extension SocketAddress {
  /// Converts an IPv4 or IPv6 address; nil for other address families.
  init?(_ address: UnsafeMutablePointer<sockaddr>, host: String = "") {
    switch Int32(address.pointee.sa_family) {
    case AF_INET: self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee, host: host) }
    case AF_INET6: self = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee, host: host) }
    default: return nil
    }
  }
}
