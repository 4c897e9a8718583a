import NIOCore
import NIOPosix

/// Gives NIO connected sockets, by one bootstrap: each would make the same options anew.
///
/// Its dialer's; confined to the event loop.
final class SocketAdopter: @unchecked Sendable {
  // @unchecked: `eventLoop` is immutable; the other two are used in `adopt` and `connect` alone, which only `SocketDialer` calls, on the session's
  // event loop, and which assert that.
  private let eventLoop: any EventLoop
  // Made with the first socket: event loops of tests have none.
  private lazy var bootstrap = ClientBootstrap(group: eventLoop)
  /// Whether sockets of the loopback have been connected at once so far. Where one wasn't, later ones may have to be waited for too: some systems
  /// delay the packets that they send to themselves.
  private var connectsAtOnce = true

  init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  /// A channel to an address of the loopback; nil where its connection has to be waited for, which NIO does.
  /// - Throws: Why the server can't be reached.
  func connect(
    to address: SocketAddress, _ options: [SocketSettings.Option], _ prepare: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) throws(IOError) -> EventLoopFuture<any Channel>? {
    assert(eventLoop.inEventLoop)
    guard connectsAtOnce else { return nil }
    guard let descriptor = try LoopbackSocket.connect(address, options) else {
      connectsAtOnce = false
      return nil
    }
    return adopt(descriptor, prepare)
  }

  /// - Parameter prepare: Is given the channel before it is registered with the event loop.
  func adopt(
    _ descriptor: CInt, _ prepare: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<any Channel> {
    assert(eventLoop.inEventLoop)
    // What prepares this socket isn't kept for the next.
    defer { _ = bootstrap.channelInitializer { $0.eventLoop.makeSucceededVoidFuture() } }
    return bootstrap.channelInitializer(prepare).withConnectedSocket(descriptor)
  }
}
