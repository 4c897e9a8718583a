#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  // Starting exchanges, and the connection as their transport.

  extension HTTP3Connection {
    package func start(_ exchange: Exchange, _ request: OutgoingRequest, body: ByteBuffer?, endsWithBody: Bool) -> Int {
      guard case .open(let early?) = state,
        exchange.context.terms.avoidsEarlyData || !EarlyDataRules.allow(request, hasBody: !endsWithBody || body != nil)
      else {
        return begin(exchange, request, body: body, endsWithBody: endsWithBody)
      }
      early.wait(HTTP3EarlyPhase.Deferred(exchange: exchange, request: request, body: body, endsWithBody: endsWithBody))
      return HTTP3RequestFields(request, priority: exchange.context.priority).length
    }

    /// Opens a stream and sends the request's head.
    /// - Parameter wasTaken: Whether the exchange was accepted in the early phase: then it begins even if new ones aren't accepted any more.
    func begin(
      _ exchange: Exchange, _ request: OutgoingRequest, body: ByteBuffer?, endsWithBody: Bool, wasTaken: Bool = false
    ) -> Int {
      guard isOpen || wasTaken && state.isLeaving, let means else {
        exchange.fail(TransportErrors.notSent(hasAnswered: hasAnswered))
        return 0
      }
      let hasBody = (body?.readableBytes ?? 0) > 0
      let fields = HTTP3RequestFields(request, priority: exchange.context.priority)
      let id = fields.withFields { fields in
        uls_h3_request(means.pointer, fields.baseAddress, fields.count, endsWithBody && !hasBody ? 1 : 0)
      }
      guard id >= 0 else {
        exchange.fail(TransportErrors.notSent(hasAnswered: hasAnswered))
        // The stream that was promised to this load isn't used: the pool may give it to another one.
        if isOpen { owner?.connectionGainedStreams(self) }
        return 0
      }
      exchangeCount += 1
      let stream = HTTP3Stream(id: id, exchange: exchange, method: request.method)
      stream.isRepeatable = endsWithBody && !hasBody && RetryRules.isSafe(request.method)
      if isEarly { stream.request = request }
      if exchanges.streams.isEmpty { uls_h3_keep_alive(means.pointer, HTTP3SilenceWatch.pingInterval) }
      exchanges.streams.add(stream)
      silence.listen(for: self, isAlone: exchanges.streams.count == 1)
      if let body, hasBody { outbox.queue(body, stream, means.handle) }
      if endsWithBody {
        if hasBody { uls_h3_finish(means.pointer, id) }
        stream.isSending = false
      }
      planFlush()
      return fields.length
    }
  }

  extension HTTP3Connection: ExchangeTransport {
    package var takesFiles: Bool { false }

    package func send(_ bytes: ByteBuffer, of exchange: Exchange) {
      if let early = state.early, early.isWaiting(exchange) { return early.add(bytes, to: exchange) }
      send(bytes, of: exchange, written: nil)
    }

    package func send(_ bytes: ByteBuffer, of exchange: Exchange, written: EventLoopPromise<Void>?) {
      guard let stream = exchanges.streams[exchange], stream.isSending, let means else {
        written?.fail(ChannelError.ioOnClosedChannel)
        return
      }
      if let written { outbox.tell(written, of: stream) }
      outbox.queue(bytes, stream, means.handle)
      planFlush()
    }

    /// Only bytes that haven't been sent; those that wait for an acknowledgement don't count, as with a TCP socket.
    package func unwrittenBytes(of exchange: Exchange) -> Int {
      guard let stream = exchanges.streams[exchange], let means else { return 0 }
      return uls_h3_unsent(means.pointer, stream.id)
    }

    package func unacknowledgedBytes(of exchange: Exchange) -> Int {
      guard let stream = exchanges.streams[exchange], let means else { return 0 }
      return uls_h3_unacknowledged(means.pointer, stream.id)
    }

    /// Never called, as `takesFiles` is false: the file's bytes have to be encrypted into packets.
    package func send(_ part: FilePart, of exchange: Exchange) {}

    package func finishSwitched(_ exchange: Exchange) { finish(exchange) }

    package func finish(_ exchange: Exchange, _ trailers: HeaderFields) {
      guard let stream = exchanges.streams[exchange] else { return state.early?.end(of: exchange, trailers) ?? () }
      guard stream.isSending, let means else { return }
      guard outbox.finish(stream, trailers, means.handle) else {
        return exchange.interrupt(LoadError(.networkConnectionLost, .send, "the fields behind the body can't be sent over HTTP/3"))
      }
      planFlush()
    }

    package func demand(_ exchange: Exchange) {
      guard let stream = exchanges.streams[exchange], stream.uncredited > 0, let means else { return }
      exchanges.inbox.credit(stream, means.handle)
      planFlush()
    }

    package func cancel(_ exchange: Exchange) {
      guard let stream = exchanges.streams[exchange] else {
        if state.early?.giveUp(exchange) ?? false { freed() }
        return
      }
      exchanges.abandon(stream, of: self)
      silence.listen(for: self, isAlone: false)
      planFlush()
      freed()
    }

    /// An exchange has ended: the owner is told that a stream is free, or the connection closes if it was the last one before a shutdown.
    func freed() {
      if isOpen { owner?.connectionGainedStreams(self) } else { closeIfLeft() }
    }

    package func priorityChanged(_ exchange: Exchange) {
      guard let stream = exchanges.streams[exchange], let means else { return }
      outbox.prioritise(stream, means.handle)
      planFlush()
    }

    package func isWritable(_ exchange: Exchange) -> Bool {
      guard let stream = exchanges.streams[exchange], let means else { return !(state.early?.isWaiting(exchange) ?? false) }
      return outbox.hasRoom(stream, means.handle)
    }
  }
#endif
