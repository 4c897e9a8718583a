#if HTTP3
  import CLoadingQUIC

  /// Owns one connection of the C layer, and the TLS connection in it. Confined to the connection's event loop.
  final class QUICHandle {
    let pointer: OpaquePointer
    /// Whether a call is under way from which events come: another must wait for its end.
    @exclusivity(unchecked) private(set) var isInCall = false

    /// A client's connection, of which nothing has been sent yet; nil without memory.
    ///
    /// - Parameters:
    ///   - ssl: Fresh; taken.
    ///   - connection: Told the events; it must live as long as this.
    ///   - token: Of an earlier connection, for the client's address; empty for none.
    ///   - early: What early data relies on; empty for none.
    ///   - now: A time of `quicTime`.
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

    /// Has the connection told what its streams carry.
    func watchStreams() { uls_h3_watch_streams(pointer, uls_h3_events.streamWatcher) }

    /// Makes a call of the C layer from which events come.
    func call(_ body: (OpaquePointer) -> uls_h3_state) -> uls_h3_state {
      isInCall = true
      defer { isInCall = false }
      return body(pointer)
    }

    /// What early data of a later connection relies on, once the handshake is over; empty if there is nothing.
    var transportToKeep: [UInt8] {
      [UInt8](unsafeUninitializedCapacity: 512) { room, count in
        count = uls_h3_keep_transport(pointer, room.baseAddress, room.count)
      }
    }
  }
#endif
