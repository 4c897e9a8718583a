import Foundation

/// The sockets of the Internet that this process holds: connected or not, in the system's tables or not.
enum Descriptors {
  static var sockets: Set<Int32> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return Set(
      names.compactMap { Int32($0) }.filter { descriptor in
        let domain = option(SO_DOMAIN, of: descriptor)
        return domain == AF_INET || domain == AF_INET6
      })
  }

  /// Waits until no more are held than before, for so many seconds at most; returns those that are new.
  static func surplus(over before: Set<Int32>, seconds: Int) async -> [Int32] {
    let end = ContinuousClock.now + .seconds(seconds)
    while sockets.count > before.count, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
    let now = sockets
    return now.count > before.count ? now.subtracting(before).sorted() : []
  }

  /// What is known of a socket: its type, its ports, whether it listens.
  static func text(_ descriptor: Int32) -> String {
    let type = option(SO_TYPE, of: descriptor) == Int32(SOCK_DGRAM.rawValue) ? "UDP" : "TCP"
    let listens = option(SO_ACCEPTCONN, of: descriptor) == 1 ? " listening" : ""
    let (from, to) = (port(of: descriptor), peer(of: descriptor))
    return "\(type)\(listens) \(from.map(String.init) ?? "unbound") to \(to.map(String.init) ?? "none")"
  }

  /// Its own port.
  static func port(of descriptor: Int32) -> UInt16? { port(descriptor, getsockname) }

  /// The port that it is connected to.
  static func peer(of descriptor: Int32) -> UInt16? { port(descriptor, getpeername) }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }

  private static func port(
    _ descriptor: Int32, _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> UInt16? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes in
      guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), name(descriptor, address, &length) == 0 else {
        return nil
      }
      // Of both families the port is at the same place.
      return UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
  }
}
