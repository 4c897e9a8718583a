/// The answer of the DNS to a question for a name's HTTPS records.
package struct ServiceBindingAnswer: Sendable, Hashable {
  package enum Content: Sendable, Hashable {
    /// There are no records, or none that can be used.
    case none
    /// The name has the alias to ask about instead (AliasMode; RFC 9460, 2.4.2).
    case alias(DNSName)
    /// The usable records in ServiceMode, the preferred ones first, and the name they belong to.
    case services([ServiceBinding], owner: DNSName)
  }

  package var content: Content
  /// Seconds for which the answer may be cached; nil if it doesn't say.
  package var lifetime: UInt32?
  /// Whether the resolver says that it has validated the answer by DNSSEC.
  package private(set) var isAuthenticated = false

  package init(_ content: Content, lifetime: UInt32? = nil) {
    self.content = content
    self.lifetime = lifetime
  }

  /// The type of HTTPS records (RFC 9460, 14.1).
  package static let recordType = DNSQuestion.RecordType.https.rawValue

  /// Parses a message that answers the question for `name`. nil if it isn't a response, reports a failure, or has a malformed record, which makes
  /// all of them unusable (RFC 9460, 2.2).
  package init?(_ message: [UInt8], to name: DNSName) {
    // The message must be a complete response without an error; NXDOMAIN (3) means that there are no records.
    guard let message = DNSMessage(message), !message.isTruncated, message.code == 0 || message.code == 3 else { return nil }
    let records = message.answers
    var lifetimes: [UInt32] = []
    var owner = name
    // At most as many aliases are followed as there are records, so that a circle ends too.
    for _ in records {
      guard let alias = records.first(where: { $0.owner == owner && $0.type == DNSMessage.aliasType }) else { break }
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
    isAuthenticated = message.isAuthenticated
  }

  private static func content(_ bindings: [ServiceBinding], _ owner: DNSName) -> Content {
    // RFC 9460, 2.4.1: if there is a record in AliasMode, those in ServiceMode are ignored.
    if let alias = bindings.first(where: \.isAlias) { return alias.target.isRoot ? .none : .alias(alias.target) }
    let usable = bindings.filter(\.isCompatible)
    // Records of equal priority stay in the order of the answer, which name servers vary to spread the load.
    let sorted = usable.enumerated().sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }.map(\.element)
    return sorted.isEmpty ? .none : .services(sorted, owner: owner)
  }
}
