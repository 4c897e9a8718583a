/// The answer of the DNS to a question for a name's addresses.
package struct AddressAnswer: Sendable, Hashable {
  package enum Content: Sendable, Hashable {
    case addresses([IPAddress])
    /// The name is an alias of this other name, whose addresses aren't in the answer.
    case alias(DNSName)
    /// The name exists, but has no address of the family that was asked for.
    case none
    /// The name doesn't exist (NXDOMAIN).
    case absent
  }

  package let content: Content
  /// Seconds for which the answer may be cached; nil if it doesn't say.
  package let lifetime: UInt32?
  /// Whether the resolver says that it has validated the answer by DNSSEC.
  package let isAuthenticated: Bool

  /// Parses `message`, which must answer `question`, a question for addresses.
  package init(_ message: [UInt8], to question: DNSQuestion) throws(DNSFault) {
    guard let message = DNSMessage(message) else { throw .malformed }
    if message.isTruncated { throw .truncated }
    if let asked = message.question, asked.name != question.name || asked.type != question.type.rawValue { throw .foreign }
    guard message.code == 0 || message.code == AddressAnswer.absentCode else { throw .refused(message.code) }
    isAuthenticated = message.isAuthenticated
    guard message.code == 0 else {
      (content, lifetime) = (.absent, nil)
      return
    }
    let chain = try Chain(from: question.name, in: message)
    let records = message.answers.filter { $0.owner == chain.end && $0.type == question.type.rawValue }
    var addresses: [IPAddress] = []
    for record in records {
      guard let address = AddressAnswer.address(record.data, question.type) else { throw .malformed }
      if !addresses.contains(address) { addresses.append(address) }
    }
    if !addresses.isEmpty {
      content = .addresses(addresses)
    } else {
      content = chain.end == question.name || message.namesAuthority ? .none : .alias(chain.end)
    }
    lifetime = (chain.lifetimes + records.map(\.lifetime)).min()
  }

  private static let absentCode: UInt16 = 3

  private static func address(_ data: BigEndianReader, _ type: DNSQuestion.RecordType) -> IPAddress? {
    var data = data
    let length = type == .v4 ? 4 : 16
    guard data.remaining == length, let bytes = data.array(length) else { return nil }
    return IPAddress(bytes: bytes)
  }

  /// The chain of aliases (CNAME records) that begins at a name, and the lifetime of each record in seconds.
  private struct Chain {
    var end: DNSName
    var lifetimes: [UInt32] = []

    init(from name: DNSName, in message: DNSMessage) throws(DNSFault) {
      end = name
      var names: Set<DNSName> = [name]
      while let alias = message.answers.first(where: { $0.owner == end && $0.type == DNSMessage.aliasType }) {
        var data = alias.data
        guard let target = data.name() else { throw .malformed }
        guard names.insert(target).inserted else { throw .circle }
        guard names.count <= LookUpRules.aliasLimit + 1 else { throw .tooManyAliases }
        lifetimes.append(alias.lifetime)
        end = target
      }
    }
  }
}
