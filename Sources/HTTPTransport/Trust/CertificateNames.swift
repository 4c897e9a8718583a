import Foundation

/// Names in certificates, as they are shown to people. Pure.
package enum CertificateNames {
  /// The issuer's common name, or its organization.
  package static func issuer(of certificate: Data) -> String? {
    guard let name = CertificateParts.part(.issuer, of: certificate) else { return nil }
    let attributes = attributes(of: [UInt8](name)[...])
    return attributes[[0x55, 0x04, 0x03]] ?? attributes[[0x55, 0x04, 0x0A]]
  }

  /// The names and addresses that a certificate is good for (RFC 5280, 4.2.1.6).
  package static func alternatives(in certificate: Data) -> [String] {
    let bytes = [UInt8](certificate)
    // The extension's identifier; what follows it is an octet string with a sequence in it, behind "critical" if that is said.
    let identifier: [UInt8] = [0x06, 0x03, 0x55, 0x1D, 0x11]
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: identifier) }) else { return [] }
    var rest = bytes[(start + identifier.count)...]
    var value = element(&rest)
    if value?.tag == 0x01 { value = element(&rest) }
    guard var octets = value?.content, var names = element(&octets)?.content else { return [] }
    var result: [String] = []
    while let name = element(&names) {
      switch name.tag {
      case 0x82: result.append(String(decoding: name.content, as: UTF8.self))
      case 0x87: if let address = address(Array(name.content)) { result.append(address) }
      default: break
      }
    }
    return result
  }

  private static func address(_ bytes: [UInt8]) -> String? {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard bytes.count == 4 || bytes.count == 16,
      inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil
    else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Texts by the identifiers of their kinds; the last of a kind counts.
  private static func attributes(of name: ArraySlice<UInt8>) -> [[UInt8]: String] {
    var whole = name
    guard var sets = element(&whole)?.content else { return [:] }
    var result: [[UInt8]: String] = [:]
    while var set = element(&sets)?.content {
      while var pair = element(&set)?.content {
        guard let kind = element(&pair), let text = element(&pair) else { break }
        result[Array(kind.content)] = String(decoding: text.content, as: UTF8.self)
      }
    }
    return result
  }

  /// The next element of DER; nil at the end, and where it isn't one.
  private static func element(_ bytes: inout ArraySlice<UInt8>) -> (tag: UInt8, content: ArraySlice<UInt8>)? {
    guard bytes.count >= 2, let tag = bytes.first else { return nil }
    var length = Int(bytes[bytes.startIndex + 1])
    var header = 2
    if length & 0x80 != 0 {
      let count = length & 0x7F
      guard (1...4).contains(count), bytes.count >= 2 + count else { return nil }
      length = bytes[(bytes.startIndex + 2)..<(bytes.startIndex + 2 + count)].reduce(0) { $0 << 8 | Int($1) }
      header += count
    }
    guard bytes.count >= header + length else { return nil }
    let content = bytes.dropFirst(header).prefix(length)
    bytes = bytes.dropFirst(header + length)
    return (tag, content)
  }
}
