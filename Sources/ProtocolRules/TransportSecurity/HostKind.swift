import Foundation

/// Whether a URL's host is a name or an address: the rules of transport security differ for them.
package enum HostKind: Sendable, Hashable {
  case address(IPAddress)
  /// A name in lower case, without its final dot.
  case name(String)

  /// - Parameter host: A host in the form of `Origin.host`: lower case, without brackets.
  package init(_ host: String) {
    if let address = IPAddress(host) {
      self = .address(address)
    } else {
      // "example.com." is the same host as an absolute name (RFC 1034, 3.1).
      self = .name(host.hasSuffix(".") ? String(host.dropLast()) : host)
    }
  }

  /// The most bytes of a domain's name (RFC 1035, 2.3.4).
  package static let longestName = 253

  /// The parent domains of a name, the closest first.
  ///
  /// Those with more than `longestName` bytes are left out. A redirect may name a host of any length: the names of all its parents together would take
  /// memory with the square of that.
  package static func domains(above name: String) -> [String] {
    var result: [String] = []
    // One byte more: the dot before a domain of that length.
    var rest = name.utf8.suffix(longestName + 1)
    while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
      rest = rest[rest.index(after: dot)...]
      result.append(String(Substring(rest)))
    }
    return result
  }
}

/// An IP address as bytes in network order: 4 or 16 of them.
package struct IPAddress: Sendable, Hashable {
  package let bytes: [UInt8]

  /// Parses an address literal without brackets. A zone (“fe80::1%eth0”) is ignored.
  ///
  /// IPv4 is also read in the other forms that resolvers accept as addresses, such as “127.1” and “0x7f000001”: text to which a connection would
  /// go by address must not count as a name.
  package init?(_ text: String) {
    if text.utf8.contains(UInt8(ascii: ":")) {
      let literal = String(text.prefix { $0 != "%" })
      var address = in6_addr()
      guard inet_pton(AF_INET6, literal, &address) == 1 else { return nil }
      bytes = withUnsafeBytes(of: &address) { Array($0) }
    } else {
      // Text that doesn't begin with a digit can't be an IPv4 address: a short cut for most names.
      guard let first = text.utf8.first, first >= 0x30, first <= 0x39 else { return nil }
      var address = in_addr()
      guard inet_aton(text, &address) != 0 else { return nil }
      bytes = withUnsafeBytes(of: &address.s_addr) { Array($0) }
    }
  }

  /// nil unless there are 4 or 16 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// The usual form of the address, without brackets.
  package var text: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether the address means this machine or its own network and isn't routed on the public Internet: loopback, private (RFC 1918,
  /// RFC 4193), shared (RFC 6598), link-local (RFC 3927, RFC 4291) and unspecified addresses.
  package var isLocal: Bool {
    if bytes.count == 4 { return IPAddress.isLocalIPv4(bytes[...]) }
    // An IPv4-mapped address, ::ffff:a.b.c.d (RFC 4291, 2.5.5.2).
    if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF { return IPAddress.isLocalIPv4(bytes[12...]) }
    if bytes[..<15].allSatisfy({ $0 == 0 }), bytes[15] <= 1 { return true }
    return bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
  }

  private static func isLocalIPv4(_ bytes: ArraySlice<UInt8>) -> Bool {
    let (first, second) = (bytes[bytes.startIndex], bytes[bytes.startIndex + 1])
    switch first {
    case 0, 10, 127: return true
    case 100: return second & 0xC0 == 64
    case 169: return second == 254
    case 172: return second & 0xF0 == 16
    case 192: return second == 168
    default: return false
    }
  }
}

/// A range of addresses with the same leading bits, as in “10.0.0.0/8”; a single address is a range of one.
package struct IPNetwork: Sendable, Hashable {
  package let address: IPAddress
  /// The number of leading bits that all addresses of the network share.
  package let prefixLength: Int

  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    var literal = parts[0]
    if literal.hasPrefix("["), literal.hasSuffix("]") { literal = literal.dropFirst().dropLast() }
    guard let address = IPAddress(String(literal)) else { return nil }
    let width = address.bytes.count * 8
    let length = parts.count == 1 ? width : Int(parts[1]) ?? -1
    guard (0...width).contains(length) else { return nil }
    self.address = address
    prefixLength = length
  }

  /// The form that `init(_:)` reads; a network of one address is written as the address alone.
  package var text: String {
    prefixLength == address.bytes.count * 8 ? address.text : "\(address.text)/\(prefixLength)"
  }

  package func contains(_ other: IPAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    let (whole, rest) = prefixLength.quotientAndRemainder(dividingBy: 8)
    guard address.bytes[..<whole] == other.bytes[..<whole] else { return false }
    guard rest > 0 else { return true }
    let mask = ~UInt8(0) << UInt8(8 - rest)
    return address.bytes[whole] & mask == other.bytes[whole] & mask
  }
}
