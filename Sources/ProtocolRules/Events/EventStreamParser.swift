import Foundation

/// Reads an event stream (HTML, 9.2.6): bytes in, events out. A value without I/O.
///
/// ```
/// refill(chunk) ► nextEvent() ─► event?    until nil
/// ```
/// An event is complete with the empty line after it; one that the end of the stream cuts off is never delivered.
package struct EventStreamParser: Sendable {
  /// An event that the stream has dispatched.
  package struct Event: Sendable, Hashable {
    /// The value of the stream's last `id` field; empty if there was none.
    package var id: String
    /// The value of the field `event`; empty if the event has none.
    package var type: String
    /// The lines of `data`, with a line feed between them.
    package var data: String
    /// The value of the event's field `retry` in milliseconds; nil if it has none.
    package var retry: Int64?
  }

  /// An event is longer than the parser's limit.
  package struct TooLong: Error, Sendable {}

  private enum Step {
    case event(Event)
    case needsMore
    case tooLong
  }

  private static let lineFeed: UInt8 = 0x0A
  private static let carriageReturn: UInt8 = 0x0D
  private static let colon: UInt8 = 0x3A
  private static let space: UInt8 = 0x20

  /// The ID of the last event that an empty line ended, with data or without: a client that reconnects sends it to the server as `Last-Event-ID`.
  package private(set) var lastEventID: String
  /// The value of the last `retry` field in milliseconds. It counts at once, not only at the end of its event.
  package private(set) var reconnectionTime: Int64?

  private let limit: Int
  private var chunk = Data()
  private var position = 0
  /// The beginning of a line whose end hasn't arrived yet.
  private var line: [UInt8] = []
  private var isFirstLine = true
  /// Whether the last line ended with CR: an LF that follows belongs to the same line end.
  private var skipsLineFeed = false

  private var data: [UInt8] = []
  private var type = ""
  private var id: String
  private var retry: Int64?

  /// - Parameters:
  ///   - lastEventID: The last ID of the stream that this one continues. By the letter of the standard the ID of a new stream is empty, so that
  ///     an event without `id` would reset the ID of earlier events; browsers keep it.
  ///   - limit: The most bytes of one event: its data, type and ID. Field names and comments don't count.
  package init(lastEventID: String = "", limit: Int) {
    self.lastEventID = lastEventID
    id = lastEventID
    self.limit = limit
  }

  /// Replaces the chunk to parse; the last one must have been parsed to its end.
  package mutating func refill(_ chunk: Data) {
    self.chunk = chunk
    position = 0
  }

  /// The next event in the chunk; nil when the chunk is parsed to its end.
  package mutating func nextEvent() throws(TooLong) -> Event? {
    let chunk = chunk
    switch chunk.withUnsafeBytes({ read($0) }) {
    case .event(let event): return event
    case .needsMore:
      refill(Data())
      return nil
    case .tooLong: throw TooLong()
    }
  }

  private mutating func read(_ bytes: UnsafeRawBufferPointer) -> Step {
    while position < bytes.count {
      if skipsLineFeed {
        skipsLineFeed = false
        if bytes[position] == EventStreamParser.lineFeed {
          position += 1
          continue
        }
      }
      let end = EventStreamParser.endOfLine(in: bytes, from: position)
      let piece = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
      guard end < bytes.count else {
        position = end
        return hold(piece) ? .needsMore : .tooLong
      }
      position = end + 1
      skipsLineFeed = bytes[end] == EventStreamParser.carriageReturn
      // A line that lies within one chunk, which is the common case, is parsed in place.
      let event = line.isEmpty ? take(piece) : takeHeld(with: piece)
      if let event { return .event(event) }
      guard size <= limit else { return .tooLong }
    }
    return .needsMore
  }

  private static func endOfLine(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != lineFeed, bytes[index] != carriageReturn { index += 1 }
    return index
  }

  private var size: Int { data.count + type.utf8.count + id.utf8.count }

  /// Keeps the beginning of a line that continues in the next chunk. False if the line is too long.
  private mutating func hold(_ piece: UnsafeRawBufferPointer) -> Bool {
    // Of a comment only the leading colon is kept, which marks it as one.
    if line.first == EventStreamParser.colon { return true }
    line.append(contentsOf: piece.first == EventStreamParser.colon && line.isEmpty ? piece.prefix(1) : piece[...])
    // The 10 bytes are those of a line that don't belong to its value: a field name of at most 5 bytes, the colon, a space, and the byte order
    // mark.
    return size + line.count - 10 <= limit
  }

  private mutating func takeHeld(with piece: UnsafeRawBufferPointer) -> Event? {
    line.append(contentsOf: piece)
    var whole: [UInt8] = []
    swap(&whole, &line)
    defer {
      whole.removeAll(keepingCapacity: true)
      swap(&whole, &line)
    }
    return whole.withUnsafeBytes { take($0) }
  }

  /// Parses one line without its line end; returns the event that an empty line completes.
  private mutating func take(_ whole: UnsafeRawBufferPointer) -> Event? {
    var line = whole
    if isFirstLine {
      isFirstLine = false
      // The HTML standard, 9.2.6: "Streams must be decoded using the UTF-8 decode algorithm", which "strips one leading UTF-8 Byte Order Mark
      // (BOM), if any".
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = UnsafeRawBufferPointer(rebasing: line[3...]) }
    }
    guard let first = line.first else { return dispatch() }
    guard first != EventStreamParser.colon else { return nil }
    guard let colon = line.firstIndex(of: EventStreamParser.colon) else {
      set(line, UnsafeRawBufferPointer(rebasing: line[line.endIndex...]))
      return nil
    }
    var value = line[(colon + 1)...]
    if value.first == EventStreamParser.space { value = value.dropFirst() }
    set(UnsafeRawBufferPointer(rebasing: line[..<colon]), UnsafeRawBufferPointer(rebasing: value))
    return nil
  }

  private mutating func set(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    if name.spells("data") {
      data.append(contentsOf: value)
      data.append(EventStreamParser.lineFeed)
    } else if name.spells("event") {
      type = String(decoding: value, as: UTF8.self)
    } else if name.spells("id") {
      // The HTML standard, 9.2.6: an ID counts "If the field value does not contain U+0000 NULL".
      if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
    } else if name.spells("retry") {
      guard let time = EventStreamParser.milliseconds(value) else { return }
      (retry, reconnectionTime) = (time, time)
    }
  }

  /// The milliseconds of a `retry` value: "If the field value consists of only ASCII digits"; nil if not. A number that is too large counts as
  /// the largest.
  private static func milliseconds(_ digits: UnsafeRawBufferPointer) -> Int64? {
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    var time: Int64 = 0
    for digit in digits {
      let (tens, isTooMuch) = time.multipliedReportingOverflow(by: 10)
      let (sum, isMore) = tens.addingReportingOverflow(Int64(digit - 0x30))
      guard !isTooMuch, !isMore else { return .max }
      time = sum
    }
    return time
  }

  /// Ends an event at an empty line; nil if it has no data.
  private mutating func dispatch() -> Event? {
    lastEventID = id
    defer {
      data.removeAll(keepingCapacity: true)
      type = ""
      retry = nil
    }
    guard !data.isEmpty else { return nil }
    return Event(id: id, type: type, data: String(decoding: data.dropLast(), as: UTF8.self), retry: retry)
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func spells(_ name: StaticString) -> Bool {
    guard count == name.utf8CodeUnitCount, let baseAddress else { return false }
    return memcmp(baseAddress, name.utf8Start, count) == 0
  }
}
