/// What the DNS has answered to a question for HTTPS records.
package struct ServiceBindingAnswer: Sendable, Hashable {
  package enum Content: Sendable, Hashable {
    /// There are none.
    case none
    /// The name to ask about instead (AliasMode; RFC 9460, 2.4.2).
    case alias(DNSName)
    /// The records in ServiceMode that are of use, the preferred ones first, and the name they belong to.
    case services([ServiceBinding], owner: DNSName)
  }

  package var content: Content
  /// Seconds for which the answer may be kept; nil if it doesn't say.
  package var lifetime: UInt32?

  package init(_ content: Content, lifetime: UInt32? = nil) {
    self.content = content
    self.lifetime = lifetime
  }

  /// The type of HTTPS records (RFC 9460, 14.1).
  package static let recordType: UInt16 = 65
  private static let cnameType: UInt16 = 5
  private static let internetClass: UInt16 = 1
  /// Records of one answer that are looked at.
  private static let recordLimit = 128

  private struct Record {
    let owner: DNSName
    let type: UInt16
    let lifetime: UInt32
    let data: DNSReader
  }

  /// From a message of the DNS that answers the question for `name`; nil if it isn't one, says that something failed, or has a malformed
  /// record, which makes all of them useless (2.2).
  package init?(_ message: [UInt8], to name: DNSName) {
    var reader = DNSReader(message)
    guard let records = ServiceBindingAnswer.records(&reader) else { return nil }
    var lifetimes: [UInt32] = []
    var owner = name
    // Each alias takes one of the records, so that a circle ends too.
    for _ in records {
      guard let alias = records.first(where: { $0.owner == owner && $0.type == ServiceBindingAnswer.cnameType }) else { break }
      var data = alias.data
      guard let target = data.name() else { return nil }
      lifetimes.append(alias.lifetime)
      owner = target
    }
    var bindings: [ServiceBinding] = []
    for record in records where record.owner == owner && record.type == ServiceBindingAnswer.recordType {
      guard let binding = ServiceBinding(record.data) else { return nil }
      bindings.append(binding)
      lifetimes.append(record.lifetime)
    }
    self.init(ServiceBindingAnswer.content(bindings, owner), lifetime: bindings.isEmpty ? nil : lifetimes.min())
  }

  private static func content(_ bindings: [ServiceBinding], _ owner: DNSName) -> Content {
    // 2.4.1: where both modes are, those in ServiceMode are left aside.
    if let alias = bindings.first(where: \.isAlias) { return alias.target.isRoot ? .none : .alias(alias.target) }
    let usable = bindings.filter(\.isCompatible)
    // Records of equal priority stay in the order in which the name server has put them, which varies.
    let sorted = usable.enumerated().sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }.map(\.element)
    return sorted.isEmpty ? .none : .services(sorted, owner: owner)
  }

  /// The answer section (RFC 1035, 4.1).
  private static func records(_ reader: inout DNSReader) -> [Record]? {
    guard reader.integer16() != nil, let flags = reader.integer16(), let questions = reader.integer16(), let answers = reader.integer16(),
      reader.integer32() != nil
    else { return nil }
    // A response, whole, without an error (NXDOMAIN has no records).
    guard flags & 0x8000 != 0, flags & 0x0200 == 0, flags & 0x000F == 0 || flags & 0x000F == 3, questions <= 1 else { return nil }
    if questions == 1 { guard reader.name() != nil, reader.integer32() != nil else { return nil } }
    var records: [Record] = []
    for _ in 0..<min(Int(answers), recordLimit) {
      guard let owner = reader.name(), let type = reader.integer16(), let kind = reader.integer16(), let lifetime = reader.integer32(),
        let length = reader.integer16(), let data = reader.part(Int(length))
      else { return nil }
      guard kind == internetClass else { continue }
      // RFC 2181, 8: a value with the highest bit set counts as zero.
      records.append(Record(owner: owner, type: type, lifetime: lifetime > UInt32(Int32.max) ? 0 : lifetime, data: data))
    }
    return records
  }
}
