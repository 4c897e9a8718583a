/// The target information, by which the server describes itself: a list of attribute-value pairs (MS-NLMP, 2.2.2.1).
struct NTLMTargetInfo: Equatable, Sendable {
  struct Pair: Equatable, Sendable {
    var id: UInt16
    var value: [UInt8]
  }

  private enum ID {
    static let end: UInt16 = 0
    static let flags: UInt16 = 6
    static let timestamp: UInt16 = 7
  }

  /// The bit in the flags attribute that says: the AUTHENTICATE message has a message integrity code.
  private static let hasIntegrityCode: UInt32 = 2

  private(set) var pairs: [Pair] = []

  init() {}

  /// Nil if the list is cut off or has no end.
  init?(_ bytes: [UInt8]) {
    let reader = LittleEndianReader(bytes: bytes)
    var offset = 0
    while let id = reader.uint16(at: offset), let length = reader.uint16(at: offset + 2) {
      if id == ID.end { return }
      guard let value = reader.slice(at: offset + 4, count: Int(length)) else { return nil }
      pairs.append(Pair(id: id, value: value))
      offset += 4 + Int(length)
    }
    return nil
  }

  /// The server's time as it was sent, 8 bytes; nil if the list has none.
  var timestamp: [UInt8]? {
    guard let pair = pairs.first(where: { $0.id == ID.timestamp }), pair.value.count == 8 else { return nil }
    return pair.value
  }

  /// The list as the client sends it back, with the flag set that its message carries an integrity code.
  func announcingIntegrityCode() -> NTLMTargetInfo {
    var result = self
    let place = pairs.firstIndex { $0.id == ID.flags }
    let before = place.flatMap { LittleEndianReader(bytes: pairs[$0].value).uint32(at: 0) } ?? 0
    let pair = Pair(id: ID.flags, value: (before | NTLMTargetInfo.hasIntegrityCode).littleEndianBytes)
    if let place { result.pairs[place] = pair } else { result.pairs.append(pair) }
    return result
  }

  var bytes: [UInt8] {
    pairs.flatMap { $0.id.littleEndianBytes + UInt16($0.value.count).littleEndianBytes + $0.value } + [0, 0, 0, 0]
  }
}
