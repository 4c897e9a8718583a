#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore

  /// What has come of bodies and their exchanges haven't been given yet, and how much the server may send after it.
  ///
  /// The exchanges are given the bytes of one turn of the loop together. Owned by its connection; confined to the event loop.
  final class HTTP3Inbox {
    // `@exclusivity(unchecked)`: as of the connection.

    /// Streams with bytes that wait.
    @exclusivity(unchecked) private var touched: [HTTP3Stream] = []
    @exclusivity(unchecked) private var window = HTTP3ReceiveWindow()

    /// The connection is over: nothing of it is delivered any more.
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

    /// Gives the exchanges what has come in this turn of the loop.
    func deliver(_ handle: QUICHandle, at time: Instant) {
      guard !touched.isEmpty else { return }
      var streams: [HTTP3Stream] = []
      swap(&streams, &touched)
      for stream in streams { deliver(stream, handle, at: time) }
      guard touched.isEmpty else { return }
      streams.removeAll(keepingCapacity: true)
      swap(&streams, &touched)
    }

    /// Gives one exchange what has come for it.
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

    /// Lets the server send more on a stream whose reader has room.
    func credit(_ stream: HTTP3Stream, _ handle: QUICHandle) {
      let count = stream.uncredited
      guard count > 0 else { return }
      stream.uncredited = 0
      uls_h3_consume(handle.pointer, stream.id, count)
      allow(window.read(count), handle)
    }

    /// A stream has no exchange any more: what it held of the window is given back.
    func forget(_ stream: HTTP3Stream, _ handle: QUICHandle) {
      stream.arrived = ByteBuffer()
      let count = stream.uncredited
      stream.uncredited = 0
      allow(window.read(count), handle)
    }

    /// Lets the server send more on all streams together.
    private func allow(_ count: Int, _ handle: QUICHandle) {
      if count > 0 { uls_h3_consume_connection(handle.pointer, count) }
    }
  }
#endif
