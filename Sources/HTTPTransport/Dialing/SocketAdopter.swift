import NIOCore
import NIOPosix

/// Gives NIO connected sockets, by one bootstrap: each would make the same options anew.
///
/// Its dialer's; confined to the event loop.
final class SocketAdopter: @unchecked Sendable {
  // @unchecked: confined to the event loop; `eventLoop` is immutable.
  /// Whether sockets of the loopback have been connected at once so far. Where one wasn't, others may have to be waited for too: such a system
  /// delivers later what it sends to itself.
  var isOfUse = true
  private let eventLoop: any EventLoop
  // Made with the first socket: event loops of tests have none.
  private lazy var bootstrap = ClientBootstrap(group: eventLoop)

  init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

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
