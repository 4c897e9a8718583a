#if TestKit
  import LoadingModel
  import NIOCore
  import NIOPosix

  extension DatagramBootstrap {
    /// Binds a UDP socket. If that fails, for example because the port is in use, closes the socket: NIO leaves it open, even when the event loop
    /// ends.
    package static func bind(
      _ host: String, _ port: Int, on group: any EventLoopGroup, _ configure: (DatagramBootstrap) -> DatagramBootstrap = { $0 },
      _ began: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<any Channel> {
      let made = Mutex<(any Channel)?>(nil)
      return configure(DatagramBootstrap(group: group))
        .channelInitializer { channel in
          made.withLock { $0 = channel }
          return channel.eventLoop.makeCompletedFuture { try began(channel) }
        }
        .bind(host: host, port: port)
        .flatMapErrorThrowing { error in
          made.withLock { $0 }?.close(promise: nil)
          throw error
        }
    }
  }
#endif
