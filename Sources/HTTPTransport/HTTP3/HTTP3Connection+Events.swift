#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// The connection that an event is told to.
  private func connection(_ pointer: UnsafeMutableRawPointer?) -> HTTP3Connection? {
    pointer.map { Unmanaged<HTTP3Connection>.fromOpaque($0).takeUnretainedValue() }
  }

  // Events of the C layer. None of them calls back into it but by what it allows; the end of the connection is told after the call.

  extension HTTP3Connection {
    static var events: uls_h3_events {
      uls_h3_events(
        handshake_ended: { connection($0)?.handshakeEnded() },
        confirmed: { connection($0)?.confirmed() },
        field: { connection($0)?.field($1, $2, $3) },
        section_ended: { connection($0)?.sectionEnded($1, isTrailer: $2 == ULS_H3_TRAILERS) },
        section_refused: { connection($0)?.refuse($1, .tooLarge) },
        data: { connection($0)?.data($1, $2) },
        stream_ended: { connection($0)?.streamEnded($1) },
        stream_reset: { connection($0)?.streamReset($1, HTTP3ErrorCode(rawValue: $2)) },
        stopped: { pointer, id, _ in connection(pointer)?.stopped(id) },
        stream_closed: { connection($0)?.streamClosed($1, HTTP3ErrorCode(rawValue: $2)) },
        streams_allowed: { connection($0)?.gainedStreams() },
        going_away: { connection($0)?.goingAway($1) },
        token: { pointer, token in
          guard let connection = connection(pointer) else { return }
          connection.memory.keep(
            token: [UInt8](UnsafeBufferPointer(start: token.data, count: token.length)), for: connection.destination.origin)
        },
        path_changed: { connection($0)?.pathChanged(isValid: $2 != 0) },
        early_data_refused: { connection($0)?.earlyDataRefused() },
        names_connection: { _, _, _ in })
    }

    // MARK: field sections

    fileprivate func field(_ id: Int64, _ name: uls_h3_bytes, _ value: uls_h3_bytes) {
      guard let stream = streams[id] else { return }
      let field = HPACKField(
        name: String(decoding: UnsafeBufferPointer(start: name.data, count: name.length), as: UTF8.self),
        value: String(decoding: UnsafeBufferPointer(start: value.data, count: value.length), as: UTF8.self))
      stream.section.add(field)
      // At once: the section may have no end.
      if let flaw = stream.section.flaw { refuse(id, flaw) }
    }

    fileprivate func refuse(_ id: Int64, _ flaw: FieldSection.Flaw) {
      guard let stream = streams[id] else { return }
      stream.exchange.context.lastActivity = lastHeard
      deliver(stream)
      // RFC 9114, 8.1: a section that is longer than it may be is no error of the message's.
      let code = if case .tooLarge = flaw { HTTP3ErrorCode.excessiveLoad } else { HTTP3ErrorCode.messageError }
      fail(stream, code, HTTP3Connection.malformed(flaw.explanation))
    }

    fileprivate func sectionEnded(_ id: Int64, isTrailer: Bool) {
      guard let stream = streams[id] else { return }
      var section = FieldSection()
      swap(&section, &stream.section)
      stream.exchange.context.lastActivity = lastHeard
      // RFC 9114, 4.1: trailers have no pseudo-header fields, and nothing is done with them.
      if isTrailer { return }
      guard let status = section.status else { return fail(stream, .messageError, HTTP3Connection.malformed("it has no status")) }
      let head = ResponseHead(status: status, version: "HTTP/3", headers: HeaderFields(section.fields))
      if head.isInformational { return receive(informational: head, stream) }
      receive(head, stream, length: section.fields.reduce(":status".utf8.count + 3) { $0 + $1.name.utf8.count + $1.value.utf8.count })
    }

    private func receive(informational head: ResponseHead, _ stream: HTTP3Stream) {
      stream.informationalCount += 1
      // RFC 9114, 4.5: 101 doesn't exist here.
      guard head.status != 101 else {
        return fail(stream, .messageError, HTTP3Connection.malformed("an informational response stands where the final one must"))
      }
      guard stream.informationalCount <= HTTP3Stream.informationalLimit else {
        return fail(stream, .requestCancelled, HTTP3Connection.malformed("informational responses have no end"))
      }
      stream.exchange.receive(informational: head)
    }

    private func receive(_ head: ResponseHead, _ stream: HTTP3Stream, length: Int) {
      let framing: ResponseBodyFraming
      do throws(LoadError) {
        framing = try ResponseBodyRules.framing(method: stream.method, head: head)
      } catch {
        return fail(stream, .messageError, error)
      }
      stream.lengthLeft = framing.promisedLength(isTunnel: stream.isTunnel, status: head.status)
      hasAnswered = true
      stream.hasHead = true
      let context = stream.exchange.context
      context.record.responseStart = lastHeard
      context.record.responseHeaderBytes = Int64(length)
      stream.exchange.receive(head: head, framing: framing)
    }

    static func malformed(_ explanation: String) -> LoadError {
      LoadError(.cannotParseResponse, .head, "the server's answer is not well-formed HTTP/3: \(explanation)")
    }

    // MARK: bodies

    /// Bytes that may wait unread in all of a connection's exchanges before its window is held back.
    private static let unreadLimit = 32 << 20

    fileprivate func data(_ id: Int64, _ bytes: uls_h3_bytes) {
      guard let means else { return }
      guard let stream = streams[id] else {
        // Given up: nothing of it is kept.
        uls_h3_consume(means.pointer, id, bytes.length)
        uls_h3_consume_connection(means.pointer, bytes.length)
        return
      }
      guard stream.hasHead, !(stream.lengthLeft.map { $0 < Int64(bytes.length) } ?? false) else {
        uls_h3_consume_connection(means.pointer, bytes.length)
        let what = stream.hasHead ? "its body is longer than its Content-Length says" : "its body comes before its head"
        return fail(stream, .messageError, HTTP3Connection.malformed(what))
      }
      if let left = stream.lengthLeft { stream.lengthLeft = left - Int64(bytes.length) }
      if stream.arrived.capacity == 0 {
        stream.arrived = ByteBufferAllocator().buffer(capacity: bytes.length < 1024 ? 4096 : QUICSocket.batchLimit)
      }
      stream.arrived.writeBytes(UnsafeBufferPointer(start: bytes.data, count: bytes.length))
      if !stream.isListed {
        stream.isListed = true
        touched.append(stream)
      }
      stream.uncredited += bytes.length
      unread += bytes.length
      if unread <= HTTP3Connection.unreadLimit {
        uls_h3_consume_connection(means.pointer, bytes.length)
      } else {
        owed += bytes.length
      }
    }

    /// Gives the exchanges what has come in this turn of the loop.
    func deliver() {
      guard !touched.isEmpty else { return }
      var streams: [HTTP3Stream] = []
      swap(&streams, &touched)
      for stream in streams { deliver(stream) }
      guard touched.isEmpty else { return }
      streams.removeAll(keepingCapacity: true)
      swap(&streams, &touched)
    }

    private func deliver(_ stream: HTTP3Stream) {
      stream.isListed = false
      guard stream.arrived.readableBytes > 0 else { return }
      var bytes = ByteBuffer()
      swap(&bytes, &stream.arrived)
      let context = stream.exchange.context
      context.record.responseBodyBytes += Int64(bytes.readableBytes)
      context.lastActivity = lastHeard
      stream.exchange.receive(body: bytes)
      if !stream.exchange.isFull { credit(stream) }
    }

    /// Lets the server send more on a stream whose reader has room.
    func credit(_ stream: HTTP3Stream) {
      let count = stream.uncredited
      guard count > 0, let means else { return }
      stream.uncredited = 0
      unread -= count
      uls_h3_consume(means.pointer, stream.id, count)
      guard owed > 0, unread <= HTTP3Connection.unreadLimit else { return }
      uls_h3_consume_connection(means.pointer, owed)
      owed = 0
    }

    // MARK: ends

    fileprivate func streamEnded(_ id: Int64) {
      guard let stream = streams[id] else { return }
      deliver(stream)
      guard stream.hasHead else {
        return fail(stream, .messageError, LoadError(.cannotParseResponse, .head, "the server ended the response before its head"))
      }
      if let left = stream.lengthLeft, left > 0 {
        let text = "the server ended the response \(left) bytes before the length it had announced"
        return fail(stream, .messageError, LoadError(.networkConnectionLost, .body, text))
      }
      stream.exchange.context.record.responseEnd = lastHeard
      if stream.isSending, let means {
        if stream.isTunnel {
          uls_h3_finish(means.pointer, id)
        } else {
          // RFC 9114, 4.1: the server needs no more of the request, and the load won't send it.
          uls_h3_reset_writing(means.pointer, id, HTTP3ErrorCode.noError.rawValue)
        }
      }
      end(stream) { $0.receiveEnd() }
    }

    fileprivate func streamReset(_ id: Int64, _ code: HTTP3ErrorCode) {
      guard let stream = streams[id] else { return }
      deliver(stream)
      end(stream) { $0.fail(HTTP3Connection.error(of: code, hasHead: stream.hasHead)) }
    }

    fileprivate func stopped(_ id: Int64) {
      guard let stream = streams[id] else { return }
      // What is left of the request isn't wanted; its response comes, or the reset of it.
      stream.isSending = false
      stream.isProducerWaiting = false
      stream.exchange.becameWritable()
    }

    fileprivate func streamClosed(_ id: Int64, _ code: HTTP3ErrorCode) {
      guard let stream = streams[id] else { return }
      deliver(stream)
      end(stream) { $0.fail(HTTP3Connection.error(of: code, hasHead: stream.hasHead)) }
    }

    /// RFC 9114, 4.1.1 and 8.1.
    private static func error(of code: HTTP3ErrorCode, hasHead: Bool) -> LoadError {
      if code == .messageError { return malformed("it breaks the rules for messages") }
      if hasHead {
        return LoadError(.networkConnectionLost, .body, "the server broke off the response before its body was complete (\(code))")
      }
      var error = LoadError(.networkConnectionLost, .head, "the server refused to answer the request (\(code))")
      if code == .requestRejected { error.resendReason = .refused }
      if code == .versionFallback { error.resendReason = .needsHTTP1 }
      return error
    }

    /// Ends a stream for a fault in it.
    func fail(_ stream: HTTP3Stream, _ code: HTTP3ErrorCode, _ error: LoadError) {
      if let means { uls_h3_cancel(means.pointer, stream.id, code.rawValue) }
      end(stream) { $0.fail(error) }
    }

    private func end(_ stream: HTTP3Stream, _ tell: (Exchange) -> Void) {
      forget(stream)
      means?.slot.keepTickets()
      stream.exchange.detach()
      if isOpen { owner?.connectionGainedStreams(self) }
      tell(stream.exchange)
      planFlush()
    }

    /// The stream has no exchange any more: what it held of the windows is given back.
    func forget(_ stream: HTTP3Stream) {
      streams[stream.id] = nil
      stream.arrived = ByteBuffer()
      let count = stream.uncredited
      stream.uncredited = 0
      unread -= count
      if owed > 0, unread <= HTTP3Connection.unreadLimit, let means {
        uls_h3_consume_connection(means.pointer, owed)
        owed = 0
      }
      if streams.isEmpty, keepsAlive, let means {
        keepsAlive = false
        uls_h3_keep_alive(means.pointer, 0)
      }
    }

    fileprivate func gainedStreams() {
      if isOpen { owner?.connectionGainedStreams(self) }
    }

    /// - Parameter first: Streams from this one on are not looked at.
    fileprivate func goingAway(_ first: Int64) {
      if case .open = state {
        state = .leaving
        owner?.connectionGoesAway(self)
      }
      for stream in streams.values.sorted(by: { $0.id < $1.id }) where stream.id >= first {
        if let means { uls_h3_cancel(means.pointer, stream.id, HTTP3ErrorCode.requestCancelled.rawValue) }
        forget(stream)
        stream.exchange.fail(TransportErrors.notLookedAt(hasAnswered: hasAnswered || first > 0))
      }
      planFlush()
    }
  }
#endif
