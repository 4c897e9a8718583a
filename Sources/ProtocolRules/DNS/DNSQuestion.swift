/// A question for one name of the DNS, and the message that asks it (RFC 1035, 4).
package struct DNSQuestion: Sendable, Hashable {
  package enum RecordType: UInt16, Sendable {
    /// A: addresses of IPv4.
    case v4 = 1
    /// AAAA: addresses of IPv6 (RFC 3596).
    case v6 = 28
    /// HTTPS: service bindings (RFC 9460).
    case https = 65
  }

  package let name: DNSName
  package let type: RecordType

  package init(_ name: DNSName, _ type: RecordType) {
    self.name = name
    self.type = type
  }

  static let internetClass: UInt16 = 1
  /// Bytes to a multiple of which a query is padded. RFC 8467, 4.1: "Clients SHOULD pad queries to the closest multiple of 128 octets".
  private static let block = 128

  /// The query as bytes. Its ID is 0, "to maximize HTTP cache friendliness" (RFC 8484, 4.1).
  ///
  /// Recursion is desired, and AD says that the client understands the answer's AD bit (RFC 6840, 5.7). The message is padded (RFC 7830), so that
  /// its length reveals little about the name.
  package var message: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ number: UInt16) { bytes += [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }
    for number: UInt16 in [0, 0x0120, 1, 0, 0, 1] { append(number) }
    for label in name.labels { bytes += [UInt8(truncatingIfNeeded: label.count)] + label }
    bytes.append(0)
    append(type.rawValue)
    append(DNSQuestion.internetClass)
    // The pseudo-record OPT (RFC 6891, 6.1.2): the root name, type 41, the largest UDP answer that the client takes, no flags, and the options.
    bytes.append(0)
    for number: UInt16 in [41, 1232, 0, 0] { append(number) }
    let padding = (DNSQuestion.block - (bytes.count + 6) % DNSQuestion.block) % DNSQuestion.block
    append(UInt16(padding + 4))
    append(12)
    append(UInt16(padding))
    return bytes + [UInt8](repeating: 0, count: padding)
  }
}
