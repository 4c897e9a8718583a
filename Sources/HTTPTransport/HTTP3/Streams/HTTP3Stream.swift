#if HTTP3
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// A stream of an HTTP/3 connection: one request and its response. Owned by its connection; confined to the event loop.
  final class HTTP3Stream: NumberedStream {
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
    /// Bytes of the response's body that are missing according to its Content-Length; nil if it has none.
    @exclusivity(unchecked) var lengthLeft: Int64?
    /// Body bytes received in this turn of the event loop that the exchange hasn't been given yet.
    @exclusivity(unchecked) var arrived = ByteBuffer()
    @exclusivity(unchecked) var isListed = false
    /// Bytes that have been received and not yet been returned to the stream's flow-control window.
    @exclusivity(unchecked) var uncredited = 0
    /// The number of informational responses so far, which is limited.
    @exclusivity(unchecked) var informationalCount = 0
    @exclusivity(unchecked) var isSending = true
    @exclusivity(unchecked) var isProducerWaiting = false
    /// A request that was sent as early data, kept while the server may still refuse it; else nil.
    @exclusivity(unchecked) var request: OutgoingRequest?

    init(id: Int64, exchange: Exchange, method: String) {
      self.id = id
      self.exchange = exchange
      self.method = method
      isTunnel = method == "CONNECT"
    }
  }
#endif
