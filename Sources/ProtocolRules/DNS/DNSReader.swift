/// Reads a message of the DNS, or a part of one (RFC 1035, 4). Every read is bounded by `end`; nil means that there is less, or no such thing.
struct DNSReader {
  /// RFC 1035, 2.3.4: 255 bytes, so never more labels than this.
  private static let labelLimit = 127
  private static let nameLimit = 255

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

  mutating func integer16() -> UInt16? {
    guard remaining >= 2 else { return nil }
    defer { position += 2 }
    return UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])
  }

  mutating func integer32() -> UInt32? {
    guard remaining >= 4, let high = integer16(), let low = integer16() else { return nil }
    return UInt32(high) << 16 | UInt32(low)
  }

  mutating func array(_ count: Int) -> [UInt8]? {
    guard count >= 0, remaining >= count else { return nil }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  /// A reader of the next bytes, which this one passes over.
  mutating func part(_ count: Int) -> DNSReader? {
    guard count >= 0, remaining >= count else { return nil }
    defer { position += count }
    return DNSReader(bytes, position..<position + count)
  }

  /// A name that isn't compressed, as RFC 9460, 2.2 requires of TargetName.
  mutating func plainName() -> DNSName? {
    var labels: [[UInt8]] = []
    var length = 1
    while let count = byte() {
      if count == 0 { return DNSName(labels: labels) }
      length += Int(count) + 1
      guard count < 64, length <= DNSReader.nameLimit, let label = array(Int(count)) else { return nil }
      labels.append(label)
    }
    return nil
  }

  /// A name that may end in a pointer to an earlier one (RFC 1035, 4.1.4).
  mutating func name() -> DNSName? {
    var labels: [[UInt8]] = []
    var length = 1
    var place = position
    /// Where this reader goes on: behind the first pointer.
    var after: Int?
    // Each pointer leads further back, so there is an end.
    var lowest = position
    while place < end, labels.count <= DNSReader.labelLimit {
      let count = Int(bytes[place])
      switch count {
      case 0:
        position = after ?? place + 1
        return DNSName(labels: labels)
      case 1..<64:
        length += count + 1
        guard place + 1 + count <= end, length <= DNSReader.nameLimit else { return nil }
        labels.append(Array(bytes[place + 1...place + count]))
        place += count + 1
      case 192...:
        guard place + 1 < end else { return nil }
        let target = (count & 63) << 8 | Int(bytes[place + 1])
        guard target < lowest else { return nil }
        after = after ?? place + 2
        (place, lowest) = (target, target)
      default: return nil
      }
    }
    return nil
  }
}
