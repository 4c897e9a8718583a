#if HTTP3
  // The streams of a connection that have an exchange.

  extension StreamTable where Stream == HTTP3Stream {
    /// The stream of an exchange, whose `streamID` is the stream's id divided by 4 (RFC 9000, 2.1); nil once the stream has been removed.
    subscript(exchange: Exchange) -> HTTP3Stream? {
      guard let stream = self[Int64(UInt32(bitPattern: exchange.streamID)) << 2], stream.exchange === exchange else { return nil }
      return stream
    }

    /// Whether any of their loads may not use every network.
    var areRestricted: Bool { streams.contains { $0.exchange.context.terms.access != .all } }

    func contains(_ stream: HTTP3Stream) -> Bool { self[stream.id] === stream }

    mutating func add(_ stream: HTTP3Stream) {
      stream.exchange.streamID = Int32(truncatingIfNeeded: stream.id >> 2)
      append(stream)
    }
  }
#endif
