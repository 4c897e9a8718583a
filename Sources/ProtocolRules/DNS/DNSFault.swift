/// Why an answer of the DNS is of no use.
package enum DNSFault: Error, Sendable, Hashable {
  case malformed
  case truncated
  /// It answers another question.
  case foreign
  /// The aliases of the name lead back to one of them.
  case circle
  case tooManyAliases
  /// The resolver hasn't validated it, which the app wants.
  case unvalidated
  /// What the resolver says in the place of an answer, by number (RFC 6895, 2.3).
  case refused(UInt16)

  /// The second half of a sentence about the resolver.
  package var text: String {
    switch self {
    case .malformed: "its answer is malformed"
    case .truncated: "its answer is cut off"
    case .foreign: "it answered another question"
    case .circle: "the name's aliases lead in a circle"
    case .tooManyAliases: "the name has more than \(LookUpRules.aliasLimit) aliases in a row"
    case .unvalidated: "the name's addresses aren't validated by DNSSEC"
    case .refused(1): "it couldn't read the question (FORMERR)"
    case .refused(2): "it couldn't find the answer (SERVFAIL)"
    case .refused(5): "it refused to answer (REFUSED)"
    case .refused(let code): "it answered with the error \(code)"
    }
  }
}
