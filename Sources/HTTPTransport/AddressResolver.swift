import LoadingModel
import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What `getaddrinfo` answered instead of addresses.
struct ResolutionError: Error {
  let host: String
  let code: Int32
  var text: String { String(cString: gai_strerror(code)) }
}

/// Resolves one host name through the system's resolver, off the event loop, and notes when.
///
/// One query serves both address families; NIO's connector races the answers (RFC 8305).
final class AddressResolver: Resolver, @unchecked Sendable {
  // @unchecked: `timings` and `query` are touched on the event loop only.
  private let eventLoop: any EventLoop
  private let clock: any LoadClock
  private let timings: ConnectTimings
  private var query: EventLoopFuture<[SocketAddress]>?

  init(eventLoop: any EventLoop, clock: any LoadClock, timings: ConnectTimings) {
    self.eventLoop = eventLoop
    self.clock = clock
    self.timings = timings
  }

  func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
    all(host, port).map { $0.filter { $0.protocol == .inet } }
  }

  func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
    all(host, port).map { $0.filter { $0.protocol == .inet6 } }
  }

  func cancelQueries() {}

  /// The host's addresses of both families; asked for once.
  func all(_ host: String, _ port: Int) -> EventLoopFuture<[SocketAddress]> {
    if let query { return query }
    timings.lookupStart = clock.now
    let future = BlockingThreads.lookUps.runIfActive(eventLoop: eventLoop) { try AddressResolver.lookUp(host, port) }
    future.whenComplete { [self] _ in
      let now = clock.now
      timings.lookupEnd = now
      timings.connectStart = now
    }
    query = future
    return future
  }

  private static func lookUp(_ host: String, _ port: Int) throws -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_protocol = Int32(IPPROTO_TCP)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    var code = getaddrinfo(host, String(port), &hints, &list)
    if code == EAI_NONAME {
      // AI_ADDRCONFIG ignores loopback addresses: a machine with no other network must still find its own names.
      hints.ai_flags = 0
      code = getaddrinfo(host, String(port), &hints, &list)
    }
    guard code == 0 else { throw ResolutionError(host: host, code: code) }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let info = next?.pointee {
      if let address = info.ai_addr {
        switch info.ai_family {
        case AF_INET:
          address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { addresses.append(SocketAddress($0.pointee, host: host)) }
        case AF_INET6:
          address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { addresses.append(SocketAddress($0.pointee, host: host)) }
        default: break
        }
      }
      next = info.ai_next
    }
    return addresses
  }
}
