extension DNSName {
  /// The most labels of a name: one has at most 255 bytes (RFC 1035, 2.3.4), and each label has two at least.
  fileprivate static let labelLimit = 127
  fileprivate static let lengthLimit = 255
}

extension BigEndianReader {
  /// Reads a name without compression, as RFC 9460, 2.2 requires of TargetName; nil if malformed.
  mutating func plainName() -> DNSName? {
    var labels: [[UInt8]] = []
    var length = 1
    while let count = byte() {
      if count == 0 { return DNSName(labels: labels) }
      length += Int(count) + 1
      guard count < 64, length <= DNSName.lengthLimit, let label = array(Int(count)) else { return nil }
      labels.append(label)
    }
    return nil
  }

  /// Reads a name that may end in a pointer to an earlier one (RFC 1035, 4.1.4); nil if malformed.
  mutating func name() -> DNSName? {
    var labels: [[UInt8]] = []
    var length = 1
    var place = position
    /// The position after the first pointer, at which this reader continues; nil before a pointer has been met.
    var after: Int?
    // Each pointer must lead further back than the one before, so that the loop ends.
    var lowest = position
    while place < end, labels.count <= DNSName.labelLimit {
      let count = Int(bytes[place])
      switch count {
      case 0:
        move(to: after ?? place + 1)
        return DNSName(labels: labels)
      case 1..<64:
        length += count + 1
        guard place + 1 + count <= end, length <= DNSName.lengthLimit else { return nil }
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
