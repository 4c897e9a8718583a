#if HTTP3
  /// The streams of a connection that have an exchange. A value of the connection's.
  struct HTTP3StreamTable {
    private var streams: [Int64: HTTP3Stream] = [:]

    var count: Int { streams.count }
    var isEmpty: Bool { streams.isEmpty }

    subscript(id: Int64) -> HTTP3Stream? { streams[id] }

    /// The stream of an exchange, whose `streamID` is the stream's id divided by 4 (RFC 9000, 2.1); nil once the stream has been removed.
    subscript(exchange: Exchange) -> HTTP3Stream? {
      guard let stream = streams[Int64(UInt32(bitPattern: exchange.streamID)) << 2], stream.exchange === exchange else { return nil }
      return stream
    }

    /// Whether any of their loads may not use every network.
    var areRestricted: Bool { streams.values.contains { $0.exchange.context.terms.access != .all } }

    func contains(_ stream: HTTP3Stream) -> Bool { streams[stream.id] === stream }

    mutating func add(_ stream: HTTP3Stream) {
      stream.exchange.streamID = Int32(truncatingIfNeeded: stream.id >> 2)
      streams[stream.id] = stream
    }

    mutating func remove(_ id: Int64) { streams[id] = nil }

    /// The streams with ids from `first` on, in the order in which they began.
    func from(_ first: Int64) -> [HTTP3Stream] { streams.values.filter { $0.id >= first }.sorted { $0.id < $1.id } }

    /// Removes all streams and returns them in the order in which they began.
    mutating func removeAll() -> [HTTP3Stream] {
      defer { streams = [:] }
      return from(0)
    }
  }
#endif
