#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore

  /// The exchanges of a connection, each on a stream of its own, and what the C layer tells of these.
  ///
  /// The events come during a call into the C layer, in which only some of its functions may be called; the connection's end is handled after the
  /// call. Owned by its connection, which is handed to what needs more of it; confined to the event loop.
  final class HTTP3Exchanges {
    // `@exclusivity(unchecked)`: for the reason given in `HTTP3Connection`.

    @exclusivity(unchecked) var streams = StreamTable<HTTP3Stream>()
    /// Whether any exchange has had a response.
    @exclusivity(unchecked) private(set) var hasAnswered = false
    @exclusivity(unchecked) private var repeated = HTTP3RepeatedFields()
    let inbox = HTTP3Inbox()

    // MARK: field sections

    func field(_ id: Int64, _ name: uls_h3_bytes, _ value: uls_h3_bytes, of connection: HTTP3Connection) {
      guard let stream = streams[id] else { return }
      do throws(HTTP3Stream.Fault) {
        try stream.add(
          repeated.field(
            UnsafeRawBufferPointer(start: name.data, count: name.length), UnsafeRawBufferPointer(start: value.data, count: value.length),
            at: stream.section.count))
      } catch {
        refuse(id, error, of: connection)
      }
    }

    func refuse(_ id: Int64, _ fault: HTTP3Stream.Fault, of connection: HTTP3Connection) {
      guard let stream = streams[id] else { return }
      stream.exchange.context.lastActivity = connection.path.lastHeard
      deliver(stream, of: connection)
      fail(stream, fault, of: connection)
    }

    func sectionEnded(_ id: Int64, isTrailer: Bool, of connection: HTTP3Connection) {
      guard let stream = streams[id] else { return }
      do throws(HTTP3Stream.Fault) {
        if try stream.receiveSection(isTrailer: isTrailer, at: connection.path.lastHeard) { hasAnswered = true }
      } catch {
        fail(stream, error, of: connection)
      }
    }

    // MARK: bodies

    func data(_ id: Int64, _ bytes: uls_h3_bytes, of connection: HTTP3Connection) {
      guard let means = connection.means else { return }
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
        fail(stream, error, of: connection)
      }
    }

    private func deliver(_ stream: HTTP3Stream, of connection: HTTP3Connection) {
      if let means = connection.means { inbox.deliver(stream, means.handle, at: connection.path.lastHeard) }
    }

    // MARK: ends of streams

    func streamEnded(_ id: Int64, isWhole: Bool, of connection: HTTP3Connection) {
      guard let stream = streams[id] else { return }
      deliver(stream, of: connection)
      do throws(HTTP3Stream.Fault) {
        try stream.checkEnd(isWhole: isWhole)
      } catch {
        return fail(stream, error, of: connection)
      }
      stream.exchange.context.record.responseEnd = connection.path.lastHeard
      if let means = connection.means { stream.endSending(means.handle) }
      end(stream, of: connection) { $0.receiveEnd() }
    }

    /// The stream has ended with an error: no more data will come.
    func streamBroke(_ id: Int64, _ code: HTTP3ErrorCode, of connection: HTTP3Connection) {
      guard let stream = streams[id] else { return }
      deliver(stream, of: connection)
      end(stream, of: connection) { $0.fail(stream.error(of: code)) }
    }

    /// The server has reset the stream (RESET_STREAM): the rest of the request isn't sent either (RFC 9114, 4.1.1).
    func streamReset(_ id: Int64, _ code: HTTP3ErrorCode, of connection: HTTP3Connection) {
      if streams[id] != nil, let means = connection.means {
        uls_h3_reset_writing(means.pointer, id, HTTP3ErrorCode.requestCancelled.rawValue)
      }
      streamBroke(id, code, of: connection)
    }

    func stopped(_ id: Int64) {
      guard let stream = streams[id] else { return }
      // STOP_SENDING: the server doesn't want the rest of the request. Its response, or a reset of that, follows.
      stream.isSending = false
      stream.isProducerWaiting = false
      stream.exchange.becameWritable()
    }

    /// Cancels a stream because the server has violated the protocol on it; the exchange fails.
    private func fail(_ stream: HTTP3Stream, _ fault: HTTP3Stream.Fault, of connection: HTTP3Connection) {
      if let means = connection.means { uls_h3_cancel(means.pointer, stream.id, fault.code.rawValue) }
      end(stream, of: connection) { $0.fail(fault.error) }
    }

    private func end(_ stream: HTTP3Stream, of connection: HTTP3Connection, _ tell: (Exchange) -> Void) {
      forget(stream, of: connection)
      connection.means?.slot.keepTickets()
      stream.exchange.detach()
      connection.gainedStreams()
      tell(stream.exchange)
      connection.planFlush()
    }

    /// Cancels a stream whose exchange isn't needed any more.
    func abandon(_ stream: HTTP3Stream, of connection: HTTP3Connection) {
      if let means = connection.means { uls_h3_cancel(means.pointer, stream.id, HTTP3ErrorCode.requestCancelled.rawValue) }
      forget(stream, of: connection)
    }

    /// Removes the stream from the tables, as it has no exchange any more.
    private func forget(_ stream: HTTP3Stream, of connection: HTTP3Connection) {
      streams.remove(stream.id)
      guard let means = connection.means else { return }
      inbox.forget(stream, means.handle)
      // With no exchange under way the connection needs no keep-alive PINGs.
      if streams.isEmpty { uls_h3_keep_alive(means.pointer, 0) }
    }
  }
#endif
