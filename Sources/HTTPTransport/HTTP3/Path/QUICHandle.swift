#if HTTP3
  import CLoadingQUIC

  /// Owns one connection of the C layer, and the TLS connection in it. Confined to the connection's event loop.
  final class QUICHandle {
    let pointer: OpaquePointer
    /// Whether a call into the C layer that reports events is under way: no second one may begin before it returns.
    @exclusivity(unchecked) private(set) var isInCall = false

    /// Creates a client connection, without sending anything. nil if memory is short.
    ///
    /// - Parameters:
    /// - ssl: A new SSL object of BoringSSL, which this object frees.
    /// - connection: Receives the events; it must live as long as this object.
    /// - token: The address validation token of an earlier connection; empty for none.
    /// - early: The server's transport parameters for early data; empty for none.
    /// - now: The current `quicTime` in nanoseconds.
    init?(
      _ ssl: UnsafeMutableRawPointer, _ addresses: uls_h3_path, for connection: HTTP3Connection, token: [UInt8], early: [UInt8],
      now: UInt64
    ) {
      var (addresses, settings, events) = (addresses, uls_h3_default_settings(), uls_h3_events.ofClient)
      settings.handshake_timeout = 0
      let pointer = token.withUnsafeBufferPointer { token in
        early.withUnsafeBufferPointer { early in
          uls_h3_client(
            ssl, &addresses, &settings, &events, Unmanaged.passUnretained(connection).toOpaque(),
            uls_h3_bytes(data: token.baseAddress, length: token.count), uls_h3_bytes(data: early.baseAddress, length: early.count), now)
        }
      }
      guard let pointer else { return nil }
      self.pointer = pointer
    }

    deinit { uls_h3_free(pointer) }

    /// Has the bytes and ends of all streams reported to the connection, for `HTTP3FrameWatch`.
    func watchStreams() { uls_h3_watch_streams(pointer, uls_h3_events.streamWatcher, uls_h3_events.streamEndWatcher) }

    /// Calls a function of the C layer that reports events.
    func call(_ body: (OpaquePointer) -> uls_h3_state) -> uls_h3_state {
      isInCall = true
      defer { isInCall = false }
      return body(pointer)
    }

    /// The server's transport parameters, encoded, for early data of a later connection; empty before the handshake is complete or if there are none.
    var transportToKeep: [UInt8] {
      [UInt8](unsafeUninitializedCapacity: 512) { room, count in
        count = uls_h3_keep_transport(pointer, room.baseAddress, room.count)
      }
    }
  }
#endif
