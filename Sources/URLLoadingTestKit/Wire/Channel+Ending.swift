#if TestKit
  import NIOCore
  import NIOSSL

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  extension Channel {
    /// Closes the TCP connection without TLS's close_notify alert. Must be called on the channel's event loop.
    func closeAbruptly() {
      // A close from the TLS handler's own context begins below that handler, which therefore can't send the alert.
      if let secure = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
        secure.close(promise: nil)
      } else {
        close(promise: nil)
      }
    }

    /// Ends the connection by a TCP reset, by closing it with a linger time of zero. Must be called on the channel's event loop.
    func reset() {
      if let socket = self as? any SocketOptionProvider {
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenFailure { _ in }
      }
      closeAbruptly()
    }
  }

  extension ChannelHandlerContext {
    /// Ends the connection in the way that `kind` says.
    func disconnect(_ kind: WireStep.Disconnection) {
      switch kind {
      case .orderly: close(promise: nil)
      case .abrupt, .exchange: channel.closeAbruptly()
      case .reset: channel.reset()
      }
    }
  }
#endif
