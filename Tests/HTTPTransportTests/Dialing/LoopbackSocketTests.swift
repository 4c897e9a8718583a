import Foundation
import LoadingModel
import NIOCore
import NIOPosix
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct LoopbackSocketTests {
  /// A socket of 127.0.0.1 that accepts nothing.
  private final class Listener {
    private let descriptor: CInt
    let address: SocketAddress

    /// - Parameter backlog: How many connections may wait, about; nil if it doesn't listen, and keeps its port.
    init(backlog: CInt?) throws {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      let any = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
      let descriptor = descriptor
      try #require(any.withSockAddr { bind(descriptor, $0, socklen_t($1)) } == 0)
      if let backlog { try #require(listen(descriptor, backlog) == 0) }
      var bound = sockaddr_in()
      var length = socklen_t(MemoryLayout.size(ofValue: bound))
      let result = withUnsafeMutablePointer(to: &bound) { bound in
        bound.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
      }
      try #require(result == 0)
      address = SocketAddress(bound, host: "")
    }

    /// Whether a connection waits to be accepted.
    var hasConnection: Bool {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&waiting, 1, 0) > 0
    }

    deinit { close(descriptor) }
  }

  private struct StandingClock: LoadClock {
    var now: Instant { Instant(nanoseconds: 1_000_000_000) }
    func wake(at deadline: Instant, _ action: @escaping @Sendable () -> Void) {}
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("128.0.0.1", false), ("10.0.0.1", false), ("::2", false), ("::", false),
    ("1::1", false), ("::ffff:127.0.0.1", false), ("fe80::1", false),
  ]) func addressesOfTheLoopbackAreKnown(_ address: String, isLoopback: Bool) throws {
    #expect(LoopbackSocket.reaches(try SocketAddress(ipAddress: address, port: 80)) == isLoopback)
  }

  @Test func listeningServerIsConnectedToAtOnce() throws {
    let listener = try Listener(backlog: 8)
    defer { withExtendedLifetime(listener) {} }
    let descriptor = try #require(try LoopbackSocket.connect(listener.address, SocketSettings().options(for: .standard)))
    defer { close(descriptor) }
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
    var value: CInt = 0
    var length = socklen_t(MemoryLayout.size(ofValue: value))
    #expect(getsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &value, &length) == 0)
    #expect(value == 1)
  }

  @Test func closedPortRefuses() throws {
    let listener = try Listener(backlog: nil)
    defer { withExtendedLifetime(listener) {} }
    let error = #expect(throws: IOError.self) { try LoopbackSocket.connect(listener.address, []) }
    #expect(error?.errnoCode == ECONNREFUSED)
  }

  @Test func serverWithoutRoomIsLeftToNIO() throws {
    let listener = try Listener(backlog: 0)
    defer { withExtendedLifetime(listener) {} }
    var descriptors: [CInt] = []
    defer { for descriptor in descriptors { close(descriptor) } }
    for _ in 0..<8 {
      guard let descriptor = try LoopbackSocket.connect(listener.address, []) else { return }
      descriptors.append(descriptor)
    }
    Issue.record("eight connections wait where one has room")
  }

  @Test(arguments: [true, false]) func connectionThatNobodyWantsAnyMoreIsNotOpened(isWanted: Bool) async throws {
    let listener = try Listener(backlog: 8)
    defer { withExtendedLifetime(listener) {} }
    let port = try #require(listener.address.port)
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let executor = LoopExecutor(loop)
    let channel = try? await loop.flatSubmit {
      SocketDialer(executor: executor, clock: StandingClock()).connect(
        host: "127.0.0.1", port: port, timings: ConnectTimings(), isWanted: { isWanted }
      ) { $0.eventLoop.makeSucceededVoidFuture() }
    }.get()
    #expect((channel != nil) == isWanted)
    #expect(listener.hasConnection == isWanted)
    try await channel?.close()
  }
}
