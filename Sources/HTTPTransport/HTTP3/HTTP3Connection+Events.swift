#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  // Events of the C layer. None of them calls back into it but by what it allows; the end of the connection is told after the call.

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
        // Given up: nothing of it is kept.
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

    // MARK: ends

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

    /// Nothing more comes.
    func streamBroke(_ id: Int64, _ code: HTTP3ErrorCode) {
      guard let stream = streams[id] else { return }
      deliver(stream)
      end(stream) { $0.fail(stream.error(of: code)) }
    }

    /// The server has broken off what it was sending. What is left of the request isn't wanted either (RFC 9114, 4.1.1).
    func streamReset(_ id: Int64, _ code: HTTP3ErrorCode) {
      if streams[id] != nil, let means { uls_h3_reset_writing(means.pointer, id, HTTP3ErrorCode.requestCancelled.rawValue) }
      streamBroke(id, code)
    }

    func stopped(_ id: Int64) {
      guard let stream = streams[id] else { return }
      // What is left of the request isn't wanted; its response comes, or the reset of it.
      stream.isSending = false
      stream.isProducerWaiting = false
      stream.exchange.becameWritable()
    }

    /// Ends a stream for a fault in it.
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

    /// Nothing more of the stream is wanted.
    func abandon(_ stream: HTTP3Stream) {
      if let means { uls_h3_cancel(means.pointer, stream.id, HTTP3ErrorCode.requestCancelled.rawValue) }
      forget(stream)
    }

    /// The stream has no exchange any more.
    func forget(_ stream: HTTP3Stream) {
      streams.remove(stream.id)
      frames?.forget(stream.id)
      guard let means else { return }
      inbox.forget(stream, means.handle)
      // Nothing is waited for: the server needn't be asked whether it is there.
      if streams.isEmpty { uls_h3_keep_alive(means.pointer, 0) }
    }

    // MARK: the connection

    func gainedStreams() {
      if isOpen { owner?.connectionGainedStreams(self) }
    }

    /// - Parameter first: Streams from this one on are not looked at.
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
