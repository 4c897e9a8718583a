import NIOCore

extension HTTP1Connection {
  enum Progress {
    case awaitingHead
    case body
    case done
  }

  /// The exchange whose response is being received, or a pipelined one behind it.
  struct Current {
    let exchange: Exchange
    let method: String
    /// Whether other requests may be sent before this one is answered.
    var isPipelined = false
    /// Whether its load has ended, so that the response is read and discarded.
    var isAbandoned = false
    var isRequestSent = false
    var response = Progress.awaitingHead
    /// Whether request and response so far allow the connection to be kept (RFC 9112, 9.3).
    var isPersistent = true
  }

  enum State {
    case idle
    /// Reserved for a load that hasn't begun its exchange yet.
    case leased
    case exchanging(Current)
    case closed
  }

  /// How much is read from the socket at once.
  enum Pace {
    case free
    /// One small read at a time, as most of the body is taken directly from the socket (`readDirectly`): the read only tells that bytes are there.
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
