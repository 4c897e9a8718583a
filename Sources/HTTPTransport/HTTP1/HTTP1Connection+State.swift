import NIOCore

extension HTTP1Connection {
  enum Progress {
    case awaitingHead
    case body
    case done
  }

  /// One exchange under way.
  struct Current {
    let exchange: Exchange
    let method: String
    /// Others may follow before it is answered.
    var isPipelined = false
    /// Its load has left: what comes is thrown away.
    var isAbandoned = false
    var isRequestSent = false
    var response = Progress.awaitingHead
    /// Whether both sides let the connection live on (RFC 9112, 9.3).
    var isPersistent = true
  }

  enum State {
    case idle
    /// Promised to a load that hasn't begun its exchange yet.
    case leased
    case exchanging(Current)
    case closed
  }

  /// How much is read from the socket at once.
  enum Pace {
    case free
    /// Most bytes are taken directly: what is read only tells that there are some.
    case small

    func apply(to options: any NIOSynchronousChannelOptions) {
      switch self {
      case .free:
        try? options.setOption(.recvAllocator, value: SocketSettings.receiveBuffers)
        try? options.setOption(.maxMessagesPerRead, value: 4)
      case .small:
        try? options.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Exchange.directThreshold))
        try? options.setOption(.maxMessagesPerRead, value: 1)
      }
    }
  }
}
