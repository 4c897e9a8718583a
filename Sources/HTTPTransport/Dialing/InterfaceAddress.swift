import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// One address of an interface that is up, or that it has none of a kind.
package struct InterfaceAddress {
  package let interface: String
  package let isLoopback: Bool
  /// In the form of `inet_ntop`; nil where the entry isn't about IP.
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
  /// nil for what isn't an IP address.
  init?(_ address: UnsafeMutablePointer<sockaddr>, host: String = "") {
    switch Int32(address.pointee.sa_family) {
    case AF_INET: self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee, host: host) }
    case AF_INET6: self = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee, host: host) }
    default: return nil
    }
  }
}
