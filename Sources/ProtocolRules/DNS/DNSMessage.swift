/// A response of the DNS: the facts in its header, and the records of its answer section (RFC 1035, 4.1).
struct DNSMessage {
  struct Record {
    let owner: DNSName
    let type: UInt16
    /// Seconds for which the record may be cached (TTL).
    let lifetime: UInt32
    let data: BigEndianReader
  }

  static let aliasType: UInt16 = 5
  private static let authorityType: UInt16 = 6
  /// The most records of one answer that are read; the rest are ignored.
  private static let recordLimit = 128

  /// RCODE: 0 is success, 2 SERVFAIL, 3 NXDOMAIN.
  let code: UInt16
  let isTruncated: Bool
  /// The bit AD: the resolver has validated all records of the answer (RFC 4035, 3.2.3).
  let isAuthenticated: Bool
  /// The question that the response repeats; nil where it doesn't.
  let question: (name: DNSName, type: UInt16)?
  private(set) var answers: [Record] = []
  /// Whether the authority section begins with the zone's SOA record: an answer without records is then final (RFC 2308, 2.2).
  private(set) var namesAuthority = false

  /// nil if the message isn't a response, or is malformed.
  init?(_ message: [UInt8]) {
    var reader = BigEndianReader(message)
    guard reader.integer16() != nil, let flags = reader.integer16(), let questions = reader.integer16(), let count = reader.integer16(),
      let authorities = reader.integer16(), reader.integer16() != nil, flags & 0x8000 != 0, questions <= 1
    else { return nil }
    code = flags & 0x000F
    isTruncated = flags & 0x0200 != 0
    isAuthenticated = flags & 0x0020 != 0
    if questions == 1 {
      guard let name = reader.name(), let type = reader.integer16(), reader.integer16() != nil else { return nil }
      question = (name, type)
    } else {
      question = nil
    }
    for _ in 0..<min(Int(count), DNSMessage.recordLimit) {
      guard let (record, isOfInternet) = DNSMessage.record(&reader) else { return nil }
      if isOfInternet { answers.append(record) }
    }
    guard count <= DNSMessage.recordLimit, authorities > 0, let (first, _) = DNSMessage.record(&reader) else { return }
    namesAuthority = first.type == DNSMessage.authorityType
  }

  private static func record(_ reader: inout BigEndianReader) -> (Record, isOfInternet: Bool)? {
    guard let owner = reader.name(), let type = reader.integer16(), let kind = reader.integer16(), let lifetime = reader.integer32(),
      let data = reader.part16()
    else { return nil }
    // RFC 2181, 8: a value with the highest bit set counts as zero.
    let seconds = lifetime > UInt32(Int32.max) ? 0 : lifetime
    return (Record(owner: owner, type: type, lifetime: seconds, data: data), kind == DNSQuestion.internetClass)
  }
}
