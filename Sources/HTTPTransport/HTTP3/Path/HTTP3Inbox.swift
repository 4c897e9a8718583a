#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore

  /// Collects received body bytes until the exchanges are given them, and returns bytes to the flow-control windows.
  ///
  /// Exchanges are given the bytes of one turn of the event loop together. Owned by its connection; confined to the event loop.
  final class HTTP3Inbox {
    // `@exclusivity(unchecked)`: for the reason given in `HTTP3Connection`.

    /// The streams with bytes that haven't been delivered to their exchanges.
    @exclusivity(unchecked) private var touched: [HTTP3Stream] = []
    @exclusivity(unchecked) private var window = HTTP3ReceiveWindow()

    /// The connection has ended: drops undelivered bytes.
    func end() { touched = [] }

    /// Keeps bytes of a stream's body.
    func add(_ bytes: uls_h3_bytes, _ stream: HTTP3Stream, _ handle: QUICHandle) {
      if stream.arrived.capacity == 0 {
        stream.arrived = ByteBufferAllocator().buffer(capacity: bytes.length < 1024 ? 4096 : QUICSocket.batchLimit)
      }
      stream.arrived.writeBytes(UnsafeBufferPointer(start: bytes.data, count: bytes.length))
      if !stream.isListed {
        stream.isListed = true
        touched.append(stream)
      }
      stream.uncredited += bytes.length
      allow(window.received(bytes.length), handle)
    }

    /// Delivers the bytes of all streams that were received in this turn of the event loop.
    func deliver(_ handle: QUICHandle, at time: Instant) {
      guard !touched.isEmpty else { return }
      var streams: [HTTP3Stream] = []
      swap(&streams, &touched)
      for stream in streams { deliver(stream, handle, at: time) }
      guard touched.isEmpty else { return }
      streams.removeAll(keepingCapacity: true)
      swap(&streams, &touched)
    }

    /// Delivers a stream's bytes to its exchange.
    func deliver(_ stream: HTTP3Stream, _ handle: QUICHandle, at time: Instant) {
      stream.isListed = false
      guard stream.arrived.readableBytes > 0 else { return }
      var bytes = ByteBuffer()
      swap(&bytes, &stream.arrived)
      let context = stream.exchange.context
      context.record.responseBodyBytes += Int64(bytes.readableBytes)
      context.lastActivity = time
      stream.exchange.receive(body: bytes)
      if !stream.exchange.isFull { credit(stream, handle) }
    }

    /// Returns the delivered bytes to the stream's window, whose reader has room, so that the server can send more.
    func credit(_ stream: HTTP3Stream, _ handle: QUICHandle) {
      let count = stream.uncredited
      guard count > 0 else { return }
      stream.uncredited = 0
      uls_h3_consume(handle.pointer, stream.id, count)
      allow(window.read(count), handle)
    }

    /// The stream has no exchange any more: drops its bytes and returns them to the connection's window.
    func forget(_ stream: HTTP3Stream, _ handle: QUICHandle) {
      stream.arrived = ByteBuffer()
      let count = stream.uncredited
      stream.uncredited = 0
      allow(window.read(count), handle)
    }

    /// Widens the flow-control window of the whole connection by `count` bytes (MAX_DATA).
    private func allow(_ count: Int, _ handle: QUICHandle) {
      if count > 0 { uls_h3_consume_connection(handle.pointer, count) }
    }
  }
#endif
