#if Inspector
  import NIOCore

  /// Splits the text of an event stream at its empty lines into events, so that each event can be shown when it arrives. A value.
  struct EventSplitter {
    /// The most bytes of an event that are kept together; a longer event is split.
    static let limit = 64 << 10

    private var rest: [UInt8] = []

    /// The events that are complete after this piece. An event that is longer than the limit is returned in parts.
    mutating func take(_ piece: ByteBuffer) -> [String] {
      var events: [String] = []
      for byte in piece.readableBytesView {
        if byte == UInt8(ascii: "\r") { continue }
        rest.append(byte)
        let isEnd = byte == UInt8(ascii: "\n") && rest.dropLast().last == UInt8(ascii: "\n")
        guard isEnd || rest.count >= EventSplitter.limit else { continue }
        let text = String(decoding: isEnd ? rest.dropLast(2) : rest[...], as: UTF8.self)
        if !text.isEmpty { events.append(text) }
        rest.removeAll(keepingCapacity: true)
      }
      return events
    }
  }
#endif
