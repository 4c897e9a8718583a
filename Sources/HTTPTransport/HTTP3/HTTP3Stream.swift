#if HTTP3
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// One stream: a request and its response. Belongs to its connection; confined to the event loop.
  final class HTTP3Stream {
    // `@exclusivity(unchecked)`: the event loop excludes accesses by other threads, and no call that modifies one of these properties
    // accesses it again before it returns.
    let id: Int64
    let exchange: Exchange
    let method: String
    let isTunnel: Bool
    @exclusivity(unchecked) var section = FieldSection()
    @exclusivity(unchecked) var hasHead = false
    /// Whether the request may be sent again without harm: it only reads, and has no body.
    var isRepeatable = false
    /// Bytes of body that Content-Length still promises; nil where nothing is promised.
    @exclusivity(unchecked) var lengthLeft: Int64?
    /// Body bytes of this turn that the exchange hasn't been given yet.
    @exclusivity(unchecked) var arrived = ByteBuffer()
    @exclusivity(unchecked) var isListed = false
    /// Received, and not yet allowed again.
    @exclusivity(unchecked) var uncredited = 0
    /// Informational responses; there may be several, but not without end.
    @exclusivity(unchecked) var informationalCount = 0
    @exclusivity(unchecked) var isSending = true
    @exclusivity(unchecked) var isProducerWaiting = false
    /// What was sent early, as long as the server may refuse it.
    @exclusivity(unchecked) var request: OutgoingRequest?

    init(id: Int64, exchange: Exchange, method: String) {
      self.id = id
      self.exchange = exchange
      self.method = method
      isTunnel = method == "CONNECT"
    }
  }
#endif
