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
    /// Closes the TCP connection beneath TLS, without the closing alert. On the channel's event loop.
    func closeAbruptly() {
      // A close from the TLS handler's own context starts below that handler.
      if let secure = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
        secure.close(promise: nil)
      } else {
        close(promise: nil)
      }
    }

    /// Ends the connection by a TCP reset: closing with a linger time of zero. On the channel's event loop.
    func reset() {
      if let socket = self as? any SocketOptionProvider {
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenFailure { _ in }
      }
      closeAbruptly()
    }
  }

  extension ChannelHandlerContext {
    /// Ends the connection in this way.
    func disconnect(_ kind: WireStep.Disconnection) {
      switch kind {
      case .orderly: close(promise: nil)
      case .abrupt, .exchange: channel.closeAbruptly()
      case .reset: channel.reset()
      }
    }
  }
#endif
