import Foundation

/// Reads an event stream (HTML, 9.2.6): bytes in, events out. A value without I/O.
///
/// ```
/// refill(chunk) ► nextEvent() ─► event?    until nil
/// ```
/// Events are complete with the empty line that ends them; what the stream's end cuts off is never delivered.
package struct EventStreamParser: Sendable {
  /// An event that the stream has dispatched.
  package struct Event: Sendable, Hashable {
    /// What the last `id` of the stream said; empty if there was none.
    package var id: String
    /// What `event` said; empty if it wasn't there.
    package var type: String
    /// The lines of `data`, with a line feed between them.
    package var data: String
    /// What `retry` said within this event: milliseconds.
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

  /// The id of the last event that was ended by an empty line, with data or without: what a client that reconnects tells the server.
  package private(set) var lastEventID: String
  /// What `retry` said last: milliseconds. It counts at once, not with the end of its event.
  package private(set) var reconnectionTime: Int64?

  private let limit: Int
  private var chunk = Data()
  private var position = 0
  /// The beginning of a line whose end hasn't arrived.
  private var line: [UInt8] = []
  private var isFirstLine = true
  /// The last line ended with CR: an LF that comes next belongs to it.
  private var skipsLineFeed = false

  private var data: [UInt8] = []
  private var type = ""
  private var id: String
  private var retry: Int64?

  /// - Parameters:
  ///   - lastEventID: Of the stream that this one continues. By the letter, the buffer of a new stream is empty, so that an event without
  ///     an id would take back the id of those before; browsers keep it.
  ///   - limit: Bytes that one event may have, its field names and comments not counted.
  package init(lastEventID: String = "", limit: Int) {
    self.lastEventID = lastEventID
    id = lastEventID
    self.limit = limit
  }

  /// Replaces the piece, which must be used up.
  package mutating func refill(_ chunk: Data) {
    self.chunk = chunk
    position = 0
  }

  /// The next event of the piece; nil when the piece is used up.
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
      // The common line lies whole within one piece.
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

  /// Keeps the beginning of a line. False if it is too long.
  private mutating func hold(_ piece: UnsafeRawBufferPointer) -> Bool {
    // Of a comment it is enough to know that it is one.
    if line.first == EventStreamParser.colon { return true }
    line.append(contentsOf: piece.first == EventStreamParser.colon && line.isEmpty ? piece.prefix(1) : piece[...])
    // What isn't the value in a line: a name of at most 5 bytes that counts, the colon, a space, and the byte order mark.
    return size + line.count <= limit + 10
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

  /// One line, without its end.
  private mutating func take(_ whole: UnsafeRawBufferPointer) -> Event? {
    var line = whole
    if isFirstLine {
      isFirstLine = false
      // "Streams must be decoded using the UTF-8 decode algorithm", which "strips one leading UTF-8 Byte Order Mark (BOM), if any".
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
      // "If the field value does not contain U+0000 NULL".
      if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
    } else if name.spells("retry") {
      guard let time = EventStreamParser.milliseconds(value) else { return }
      (retry, reconnectionTime) = (time, time)
    }
  }

  /// "If the field value consists of only ASCII digits". A number that is too large is the largest.
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

  /// An empty line: the end of an event.
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
