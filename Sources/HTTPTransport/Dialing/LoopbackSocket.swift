import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Connects to loopback addresses (127.0.0.0/8, ::1) without NIO: the kernel delivers packets to them before connect(2) returns, so no
/// event needs to be awaited. NIO is then given the connected socket.
///
/// NIO can't be given a socket that is still connecting: that is why connections to other machines are opened by NIO.
enum LoopbackSocket {
  static func reaches(_ address: SocketAddress) -> Bool {
    switch address {
    case .v4(let address): UInt32(bigEndian: address.address.sin_addr.s_addr) >> 24 == 127
    case .v6(let address):
      withUnsafeBytes(of: address.address.sin6_addr) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    case .unixDomainSocket: false
    }
  }

  /// A connected socket, which the caller has to close. nil if the connection isn't established at once, as when the server's backlog is full:
  /// then NIO has to connect.
  /// - Throws: The error of socket(2) or connect(2), such as ECONNREFUSED.
  static func connect(_ address: SocketAddress, _ options: [SocketSettings.Option]) throws(IOError) -> CInt? {
    let family = if case .v6 = address { AF_INET6 } else { AF_INET }
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
    SocketSettings.set(options, of: descriptor)
    var code = begin(descriptor, address)
    // The server's answer arrived while the first call held the socket's lock: a second call of connect(2) reports the result.
    if code == EINPROGRESS { code = begin(descriptor, address) }
    guard code != 0 else { return descriptor }
    close(descriptor)
    if code == EALREADY || code == EINPROGRESS { return nil }
    throw IOError(errnoCode: code, reason: "connect")
  }

  /// Calls connect(2).
  /// - Returns: 0, or the value of `errno`.
  private static func begin(_ descriptor: CInt, _ address: SocketAddress) -> CInt {
    address.withSockAddr { connectSocket(descriptor, $0, socklen_t($1)) == 0 ? 0 : errno }
  }
}
