#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  // Events of the C layer. They come during a call into it, in which only some of its functions may be called; the connection's end is handled after
  // the call.

  extension HTTP3Connection {
    // MARK: field sections

    func field(_ id: Int64, _ name: uls_h3_bytes, _ value: uls_h3_bytes) {
      do throws(HTTP3Stream.Fault) {
        try streams[id]?.add(name, value)
      } catch {
        refuse(id, error)
      }
    }

    func refuse(_ id: Int64, _ fault: HTTP3Stream.Fault) {
      guard let stream = streams[id] else { return }
      stream.exchange.context.lastActivity = path.lastHeard
      deliver(stream)
      fail(stream, fault)
    }

    func sectionEnded(_ id: Int64, isTrailer: Bool) {
      guard let stream = streams[id] else { return }
      do throws(HTTP3Stream.Fault) {
        if try stream.receiveSection(isTrailer: isTrailer, at: path.lastHeard) { hasAnswered = true }
      } catch {
        fail(stream, error)
      }
    }

    // MARK: bodies

    func data(_ id: Int64, _ bytes: uls_h3_bytes) {
      guard let means else { return }
      guard let stream = streams[id] else {
        // The stream has been abandoned: its bytes are discarded and returned to the flow-control windows.
        uls_h3_consume(means.pointer, id, bytes.length)
        uls_h3_consume_connection(means.pointer, bytes.length)
        return
      }
      do throws(HTTP3Stream.Fault) {
        try stream.count(bytes.length)
        inbox.add(bytes, stream, means.handle)
      } catch {
        uls_h3_consume_connection(means.pointer, bytes.length)
        fail(stream, error)
      }
    }

    private func deliver(_ stream: HTTP3Stream) {
      if let means { inbox.deliver(stream, means.handle, at: path.lastHeard) }
    }

    // MARK: ends of streams

    func streamEnded(_ id: Int64, isWhole: Bool) {
      guard let stream = streams[id] else { return }
      deliver(stream)
      do throws(HTTP3Stream.Fault) {
        try stream.checkEnd(isWhole: isWhole)
      } catch {
        return fail(stream, error)
      }
      stream.exchange.context.record.responseEnd = path.lastHeard
      if let means { stream.endSending(means.handle) }
      end(stream) { $0.receiveEnd() }
    }

    /// The stream has ended with an error: no more data will come.
    func streamBroke(_ id: Int64, _ code: HTTP3ErrorCode) {
      guard let stream = streams[id] else { return }
      deliver(stream)
      end(stream) { $0.fail(stream.error(of: code)) }
    }

    /// The server has reset the stream (RESET_STREAM): the rest of the request isn't sent either (RFC 9114, 4.1.1).
    func streamReset(_ id: Int64, _ code: HTTP3ErrorCode) {
      if streams[id] != nil, let means { uls_h3_reset_writing(means.pointer, id, HTTP3ErrorCode.requestCancelled.rawValue) }
      streamBroke(id, code)
    }

    func stopped(_ id: Int64) {
      guard let stream = streams[id] else { return }
      // STOP_SENDING: the server doesn't want the rest of the request. Its response, or a reset of that, follows.
      stream.isSending = false
      stream.isProducerWaiting = false
      stream.exchange.becameWritable()
    }

    /// Cancels a stream because the server has violated the protocol on it; the exchange fails.
    private func fail(_ stream: HTTP3Stream, _ fault: HTTP3Stream.Fault) {
      if let means { uls_h3_cancel(means.pointer, stream.id, fault.code.rawValue) }
      end(stream) { $0.fail(fault.error) }
    }

    private func end(_ stream: HTTP3Stream, _ tell: (Exchange) -> Void) {
      forget(stream)
      means?.slot.keepTickets()
      stream.exchange.detach()
      if isOpen { owner?.connectionGainedStreams(self) }
      tell(stream.exchange)
      planFlush()
    }

    /// Cancels a stream whose exchange isn't needed any more.
    func abandon(_ stream: HTTP3Stream) {
      if let means { uls_h3_cancel(means.pointer, stream.id, HTTP3ErrorCode.requestCancelled.rawValue) }
      forget(stream)
    }

    /// Removes the stream from the connection's tables, as it has no exchange any more.
    func forget(_ stream: HTTP3Stream) {
      streams.remove(stream.id)
      guard let means else { return }
      inbox.forget(stream, means.handle)
      // With no exchange under way the connection needs no keep-alive PINGs.
      if streams.isEmpty { uls_h3_keep_alive(means.pointer, 0) }
    }

    // MARK: events of the connection

    func gainedStreams() {
      if isOpen { owner?.connectionGainedStreams(self) }
    }

    /// GOAWAY.
    /// - Parameter first: The server doesn't process streams from this id on.
    func goingAway(_ first: Int64) {
      switch state {
      case .opening(var opening):
        opening.isLeaving = true
        state = .opening(opening)
      case .open(let early):
        state = .leaving(early: early)
        owner?.connectionGoesAway(self)
      case .leaving, .closed: break
      }
      for stream in streams.from(first) {
        abandon(stream)
        stream.exchange.fail(TransportErrors.notLookedAt(hasAnswered: hasAnswered || first > 0))
      }
      planFlush()
    }
  }
#endif
