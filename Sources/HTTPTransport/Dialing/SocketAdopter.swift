import NIOCore
import NIOPosix

/// Makes channels of connected sockets, with one NIO bootstrap for all: making a bootstrap for each would build the same options again.
///
/// Owned by its dialer; confined to the event loop.
final class SocketAdopter: @unchecked Sendable {
  // @unchecked: `eventLoop` is immutable; the other two are used in `adopt` and `connect` alone, which only `SocketDialer` calls, on the session's
  // event loop, and which assert that.
  private let eventLoop: any EventLoop
  // Created with the first socket, as the event loops of unit tests don't support bootstraps.
  private lazy var bootstrap = ClientBootstrap(group: eventLoop)
  /// Whether all loopback connections so far were established at once. After one that wasn't, all are left to NIO: some systems delay the
  /// packets that they send to themselves.
  private var connectsAtOnce = true

  init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  /// Connects to a loopback address; nil where the connection isn't established at once: then NIO has to connect.
  /// - Throws: The error of socket(2) or connect(2).
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
    // The bootstrap must not keep this socket's initializer, and what it captures, until the next one.
    defer { _ = bootstrap.channelInitializer { $0.eventLoop.makeSucceededVoidFuture() } }
    return bootstrap.channelInitializer(prepare).withConnectedSocket(descriptor)
  }
}
