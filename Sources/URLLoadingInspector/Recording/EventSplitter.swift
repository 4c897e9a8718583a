#if Inspector
  import NIOCore

  /// Takes the text of an event stream apart at its empty lines, so that each event can be shown as it comes. A value.
  struct EventSplitter {
    /// Bytes of an event, or of a piece of one.
    static let limit = 64 << 10

    private var rest: [UInt8] = []

    /// The events that have come whole. What is longer than the limit comes in pieces.
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
