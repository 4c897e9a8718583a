/// A name of the DNS as its labels, which are bytes with ASCII letters in lower case; the root has none.
package struct DNSName: Sendable, Hashable {
  package let labels: [[UInt8]]

  package init(labels: [[UInt8]]) { self.labels = labels.map { $0.map(DNSName.lowercased) } }

  /// Parses a name as text, with or without a final dot; nil if it can't be one (RFC 1035, 2.3.4).
  package init?(_ text: String) {
    let name = text.hasSuffix(".") ? text.dropLast() : text[...]
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
    guard !name.isEmpty, labels.allSatisfy({ 1...63 ~= $0.count }), name.utf8.count <= 253 else { return nil }
    self.init(labels: labels)
  }

  package var isRoot: Bool { labels.isEmpty }

  /// The name as the host of a URL, without a final dot; nil if a label has other bytes than letters, digits, "-" and "_".
  package var host: String? {
    guard !isRoot, labels.allSatisfy({ $0.allSatisfy(DNSName.isPlain) }) else { return nil }
    return labels.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}
