#if HTTP3
  import CLoadingQUIC

  /// The connection that the C layer passes to its callbacks as `self`.
  private func connection(_ pointer: UnsafeMutableRawPointer?) -> HTTP3Connection? {
    pointer.map { Unmanaged<HTTP3Connection>.fromOpaque($0).takeUnretainedValue() }
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
        field: { connection($0)?.field($1, $2, $3) },
        section_ended: { connection($0)?.sectionEnded($1, isTrailer: $2 == ULS_H3_TRAILERS) },
        section_refused: { connection($0)?.refuse($1, HTTP3Stream.Fault(.tooLarge)) },
        data: { connection($0)?.data($1, $2) },
        stream_ended: { connection($0)?.streamEnded($1, isWhole: $2 != 0) },
        stream_reset: { connection($0)?.streamReset($1, HTTP3ErrorCode(rawValue: $2)) },
        stopped: { pointer, id, _ in connection(pointer)?.stopped(id) },
        stream_closed: { connection($0)?.streamBroke($1, HTTP3ErrorCode(rawValue: $2)) },
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
