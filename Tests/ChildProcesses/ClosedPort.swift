import Foundation
import LoadingModel

/// A socket bound to a port of 127.0.0.1 that no other process gets as long as it is there. It doesn't listen: connecting is refused.
package final class ClosedPort {
  package let number: Int
  package let descriptor: Int32

  /// - Parameter number: The port; 0 for any.
  package init(_ number: Int = 0) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var bound = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = ClosedPort.withAddress(number) { bind(descriptor, $0, $1) } == 0
    let isKnown = withUnsafeMutablePointer(to: &bound) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard isBound, isKnown == 0 else {
      close(descriptor)
      throw CocoaError(.featureUnsupported, userInfo: [NSLocalizedDescriptionKey: "port \(number) can't be had"])
    }
    self.descriptor = descriptor
    self.number = Int(UInt16(bigEndian: bound.sin_port))
  }

  deinit { close(descriptor) }

  package static func withAddress<Result>(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  /// A port for a program that binds it itself a moment later, for TCP, UDP or both. It lies below those that the system chooses from
  /// (32768 and up), and no other process of tests is given it: no other socket gets it in between.
  package static func forProgram() throws -> Int {
    for _ in 0..<1000 {
      let candidate = try ports.withLock { try $0.next() }
      if let port = try? ClosedPort(candidate), isFreeForDatagrams(port.number) { return port.number }
    }
    throw CocoaError(.featureUnsupported, userInfo: [NSLocalizedDescriptionKey: "no port below 32000 is free"])
  }

  private static let ports = Mutex(PortBlock())

  private static func isFreeForDatagrams(_ number: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    return withAddress(number) { bind(descriptor, $0, $1) } == 0
  }

  /// Whether this process is connected to this port of 127.0.0.1 no more, now or soon. Its descriptors tell: the kernel's table of
  /// connections may skip some while others come and go.
  package static func isLeft(_ port: Int) async -> Bool {
    let end = HangLimit.end
    while ContinuousClock.now < end {
      let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      if !descriptors.contains(where: { Int32($0).flatMap(peerPort) == port }) { return true }
      await Task.yield()
    }
    return false
  }

  private static func peerPort(_ descriptor: Int32) -> Int? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
    }
    guard code == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Whether this machine has an IPv6 loopback address.
  package static let isIPv6There: Bool = {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) }
    } == 0
  }()
}
