import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Connects to this machine's own addresses (127.0.0.0/8, ::1), past NIO: packets to them are delivered before connect(2) returns, so that there
/// is nothing to wait for. NIO is given the connected socket.
///
/// A socket that is still connecting can't be given to NIO: that is why those to other machines are NIO's from the beginning.
enum LoopbackSocket {
  static func reaches(_ address: SocketAddress) -> Bool {
    switch address {
    case .v4(let address): UInt32(bigEndian: address.address.sin_addr.s_addr) >> 24 == 127
    case .v6(let address):
      withUnsafeBytes(of: address.address.sin6_addr) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    case .unixDomainSocket: false
    }
  }

  /// A connected socket, the caller's to close; nil where the server has no room for another connection at the moment, or there is more to be
  /// waited for than a loopback has.
  /// - Throws: Why the server can't be reached.
  static func connect(_ address: SocketAddress, _ options: [SocketSettings.Option]) throws(IOError) -> CInt? {
    let family = if case .v6 = address { AF_INET6 } else { AF_INET }
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
    SocketSettings.set(options, of: descriptor)
    var code = begin(descriptor, address)
    // The server's answer has come while the first call still held the socket: the second one takes note of it.
    if code == EINPROGRESS { code = begin(descriptor, address) }
    guard code != 0 else { return descriptor }
    close(descriptor)
    if code == EALREADY || code == EINPROGRESS { return nil }
    throw IOError(errnoCode: code, reason: "connect")
  }

  /// - Returns: 0, or the error's number.
  private static func begin(_ descriptor: CInt, _ address: SocketAddress) -> CInt {
    address.withSockAddr { connectSocket(descriptor, $0, socklen_t($1)) == 0 ? 0 : errno }
  }
}
