#if HTTP3
  import CLoadingQUIC

  /// The connection that the C layer passes to its callbacks as `self`.
  private func connection(_ pointer: UnsafeMutableRawPointer?) -> HTTP3Connection? {
    pointer.map { Unmanaged<HTTP3Connection>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Tells the exchanges of that connection.
  @inline(__always)
  private func exchanges(_ pointer: UnsafeMutableRawPointer?, _ tell: (HTTP3Exchanges, HTTP3Connection) -> Void) {
    if let connection = connection(pointer) { tell(connection.exchanges, connection) }
  }

  extension uls_h3_events {
    /// Callbacks that do nothing. Test servers replace those that they need.
    package static var unheard: uls_h3_events {
      uls_h3_events(
        handshake_ended: { _ in }, confirmed: { _ in }, field: { _, _, _, _ in }, section_ended: { _, _, _ in },
        section_refused: { _, _ in }, data: { _, _, _ in }, stream_ended: { _, _, _ in }, stream_reset: { _, _, _ in },
        stopped: { _, _, _ in }, stream_closed: { _, _, _ in }, streams_allowed: { _ in }, going_away: { _, _ in }, token: { _, _ in },
        path_changed: { _, _, _ in }, early_data_refused: { _ in }, names_connection: { _, _, _ in })
    }

    static let streamWatcher: uls_h3_stream_watcher = { pointer, stream, isSent, bytes in
      connection(pointer)?.frames?.carried(stream, isSent: isSent != 0, UnsafeRawBufferPointer(start: bytes.data, count: bytes.length))
    }

    static let streamEndWatcher: uls_h3_stream_end_watcher = { pointer, stream in connection(pointer)?.frames?.forget(stream) }

    /// The callbacks of a client connection, whose `self` is an `HTTP3Connection`.
    static var ofClient: uls_h3_events {
      uls_h3_events(
        handshake_ended: { connection($0)?.handshakeEnded() },
        confirmed: { connection($0)?.handshakeConfirmed() },
        field: { pointer, id, name, value in exchanges(pointer) { $0.field(id, name, value, of: $1) } },
        section_ended: { pointer, id, section in exchanges(pointer) { $0.sectionEnded(id, isTrailer: section == ULS_H3_TRAILERS, of: $1) }
        },
        section_refused: { pointer, id in exchanges(pointer) { $0.refuse(id, HTTP3Stream.Fault(.tooLarge), of: $1) } },
        data: { pointer, id, bytes in exchanges(pointer) { $0.data(id, bytes, of: $1) } },
        stream_ended: { pointer, id, isWhole in exchanges(pointer) { $0.streamEnded(id, isWhole: isWhole != 0, of: $1) } },
        stream_reset: { pointer, id, code in exchanges(pointer) { $0.streamReset(id, HTTP3ErrorCode(rawValue: code), of: $1) } },
        stopped: { pointer, id, _ in exchanges(pointer) { exchanges, _ in exchanges.stopped(id) } },
        stream_closed: { pointer, id, code in exchanges(pointer) { $0.streamBroke(id, HTTP3ErrorCode(rawValue: code), of: $1) } },
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
  }
#endif
