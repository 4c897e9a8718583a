/// Why an answer of the DNS can't be used.
package enum DNSFault: Error, Sendable, Hashable {
  case malformed
  case truncated
  /// The message answers another question than the one that was asked.
  case foreign
  /// The chain of the name's aliases returns to a name that is already in it.
  case circle
  case tooManyAliases
  /// The app demands DNSSEC, and the resolver hasn't validated the answer.
  case unvalidated
  /// The resolver's error in place of an answer: the RCODE (RFC 6895, 2.3), such as 2 for SERVFAIL.
  case refused(UInt16)

  /// The fault as the second half of a sentence whose first half names the resolver.
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
