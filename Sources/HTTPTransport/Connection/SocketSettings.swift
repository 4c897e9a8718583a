import NIOCore
import NIOPosix
import ProtocolRules

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// What a socket is used for, as far as its options depend on it.
package struct SocketPurpose: Sendable {
  /// The kind of the first bytes that are sent over the socket.
  package enum FirstBytes: Sendable {
    /// A request or nothing: bytes that must not reach the server twice.
    case any
    /// A TLS handshake: a copy of it that arrives late does no harm.
    case handshake
  }

  package var traffic = TrafficClass.standard
  package var firstBytes = FirstBytes.any

  package static let standard = SocketPurpose()

  package init(traffic: TrafficClass = .standard, firstBytes: FirstBytes = .any) {
    self.traffic = traffic
    self.firstBytes = firstBytes
  }
}

/// The settings by which a session opens its sockets: Multipath TCP and TCP Fast Open.
package struct SocketSettings: Sendable {
  /// How many paths a connection may take.
  package enum Paths: Sendable {
    case one
    /// Multipath TCP (RFC 8684), where kernel and server have it. Which paths there are is the system's choice (ip-mptcp(8)).
    case several
  }

  /// Whether first bytes may be sent with the first packet (TCP Fast Open, RFC 7413).
  package enum FastOpen: Sendable {
    case never
    /// Only for TLS handshakes, as a duplicate of them does no harm. The kernel does it for servers from which it has a Fast Open cookie.
    case handshakes
  }

  /// Opens a connected channel to an address on an event loop, in place of a socket; calls `began` with the channel before it is connected.
  package typealias ChannelFactory =
    @Sendable (SocketAddress, any EventLoop, _ began: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>) ->
    EventLoopFuture<any Channel>

  package var paths = Paths.one
  package var fastOpen = FastOpen.never
  /// Channels in memory for tests; nil opens sockets.
  package var opensChannel: ChannelFactory?
  /// As `opensChannel`, in place of sockets of UDP: the channels carry `AddressedEnvelope<ByteBuffer>`.
  package var opensDatagramChannel: ChannelFactory?

  package init() {}

  /// The buffer sizes for reads from a TCP socket: at least 1 KiB, at most 256 KiB at once.
  static let receiveBuffers = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 256 * 1024)

  struct Option: Sendable {
    let level: NIOBSDSocket.OptionLevel
    let name: NIOBSDSocket.Option
    let value: CInt

    init(_ level: NIOBSDSocket.OptionLevel, _ name: NIOBSDSocket.Option, _ value: CInt) {
      self.level = level
      self.name = name
      self.value = value
    }
  }

  /// Sets `options` and the close-on-exec flag (`CloseOnExec`) of a new channel's socket. To be called in the channel's initializer.
  ///
  /// Calls setsockopt directly: NIO's `setOption` finds each option's value type at run time, which is slow.
  static func prepare(_ channel: any Channel, _ options: [Option]) {
    _ = channel.withSocket { socket in
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
      set(options, of: socket)
    }
  }

  /// Sets `options`; those that the system or this kind of socket doesn't have are left out.
  static func set(_ options: [Option], of socket: CInt) {
    for option in options {
      var value = option.value
      setsockopt(socket, option.level.rawValue, option.name.rawValue, &value, socklen_t(MemoryLayout.size(ofValue: value)))
    }
  }

  var usesMultipath: Bool {
    switch paths {
    case .one: false
    case .several: SocketSettings.hasMultipath
    }
  }

  /// Whether this kernel has Multipath TCP, and it is switched on.
  package static let hasMultipath: Bool = {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), multipathProtocol)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }()

  /// For every socket. A peer that has disappeared without closing, such as behind a router that forgot the connection, is found out within
  /// two minutes of silence: an idle WebSocket would not notice otherwise.
  private static let standard = [
    Option(.tcp, .tcp_nodelay, 1),
    Option(.socket, .so_keepalive, 1),
    Option(.tcp, .init(rawValue: TCP_KEEPIDLE), 60),
    Option(.tcp, .init(rawValue: TCP_KEEPINTVL), 15),
    Option(.tcp, .init(rawValue: TCP_KEEPCNT), 4),
  ]

  func options(for purpose: SocketPurpose) -> [Option] {
    var options = SocketSettings.standard
    if purpose.traffic != .standard {
      let octet = CInt(purpose.traffic.octet)
      options.append(Option(.ip, .init(rawValue: IP_TOS), octet))
      options.append(Option(.ipv6, .init(rawValue: IPV6_TCLASS), octet))
      // Last, as setting IP_TOS also sets the socket's priority.
      options.append(Option(.socket, .init(rawValue: SO_PRIORITY), CInt(purpose.traffic.queuePriority)))
    }
    switch (fastOpen, purpose.firstBytes) {
    case (.handshakes, .handshake): options.append(Option(.tcp, .init(rawValue: fastOpenConnect), 1))
    case (.never, _), (_, .any): break
    }
    return options
  }

  /// The options of UDP sockets (QUIC).
  func datagramOptions(for purpose: SocketPurpose) -> [Option] {
    guard purpose.traffic != .standard else { return [] }
    // The type of service isn't an option here: QUIC writes it with each packet, together with the ECN bits.
    return [Option(.socket, .init(rawValue: SO_PRIORITY), CInt(purpose.traffic.queuePriority))]
  }

  /// IPPROTO_MPTCP, TCP_FASTOPEN_CONNECT, SOL_MPTCP and MPTCP_INFO: not in every libc's headers.
  private static var multipathProtocol: CInt { 262 }
  private var fastOpenConnect: CInt { 30 }
  private static var multipathLevel: CInt { 284 }
  private static var multipathInfo: CInt { 1 }

  /// Whether the connection really uses Multipath TCP, which the server must have agreed to.
  static func isMultipath(_ channel: any Channel) -> Bool {
    guard hasMultipath else { return false }
    let answer = channel.withSocket { socket in
      var flags: CInt = 0
      var length = socklen_t(MemoryLayout.size(ofValue: flags))
      return getsockopt(socket, multipathLevel, multipathInfo, &flags, &length)
    }
    return answer == 0
  }
}
