/// Reads big-endian integers and length-prefixed arrays (the network byte order). No read passes `end`; a read that needs more bytes returns nil.
struct BigEndianReader {
  let bytes: [UInt8]
  private(set) var position: Int
  let end: Int

  init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

  /// - Parameter range: Within the bounds of `bytes`.
  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  var isAtEnd: Bool { position == end }
  var remaining: Int { end - position }

  mutating func byte() -> UInt8? {
    guard position < end else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func integer16() -> UInt16? { integer(2).map { UInt16($0) } }
  mutating func integer32() -> UInt32? { integer(4).map { UInt32($0) } }
  mutating func integer64() -> UInt64? { integer(8) }

  private mutating func integer(_ count: Int) -> UInt64? {
    guard remaining >= count else { return nil }
    defer { position += count }
    return bytes[position..<position + count].reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func array(_ count: Int) -> [UInt8]? {
    guard count >= 0, remaining >= count else { return nil }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  /// The bytes that follow a length of two bytes.
  mutating func array16() -> [UInt8]? { integer16().flatMap { array(Int($0)) } }

  /// Skips the next `count` bytes and returns a reader of them alone; nil if there are fewer.
  mutating func part(_ count: Int) -> BigEndianReader? {
    guard count >= 0, remaining >= count else { return nil }
    defer { position += count }
    return BigEndianReader(bytes, position..<position + count)
  }

  /// Skips the bytes that follow a length of two bytes, and returns a reader of them alone; nil if there are fewer.
  mutating func part16() -> BigEndianReader? { integer16().flatMap { part(Int($0)) } }

  /// Continues at index `place` of `bytes`, clamped to 0…`end`.
  mutating func move(to place: Int) { position = min(max(place, 0), end) }
}
