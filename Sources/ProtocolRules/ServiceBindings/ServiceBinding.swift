import Foundation

/// One HTTPS record of the DNS (RFC 9460, 9), or an SVCB record, which has the same form.
package struct ServiceBinding: Sendable, Hashable {
  /// The record's SvcPriority: 0 means AliasMode (RFC 9460, 2.4.2); of several records, a lower number is preferred.
  package let priority: UInt16
  /// The target name. The root means the record's own name in ServiceMode, and "no such service" in AliasMode (RFC 9460, 2.5).
  package let target: DNSName
  /// The ALPN protocols that the record lists for the target.
  package private(set) var protocols: [String] = []
  /// Whether the scheme's default protocol is offered besides those listed (RFC 9460, 7.1).
  package private(set) var hasDefaultProtocol = true
  package private(set) var port: UInt16?
  /// Addresses of the target as text, to be used until the DNS has been asked for them (RFC 9460, 7.3).
  package private(set) var addressHints: [String] = []
  /// The keys that encrypt ClientHellos to the target (ECH; RFC 9848); nil if there are none that can be used.
  package private(set) var encryptedHello: EncryptedHelloKeys?
  /// Whether this client understands all mandatory keys and the record is consistent (RFC 9460, 8). If not, the record isn't used.
  package private(set) var isCompatible = true

  package var isAlias: Bool { priority == 0 }

  /// The parameter keys (RFC 9460, 14.3.2) that are read.
  enum Key {
    static let mandatory: UInt16 = 0
    static let alpn: UInt16 = 1
    static let noDefaultALPN: UInt16 = 2
    static let port: UInt16 = 3
    static let ipv4Hint: UInt16 = 4
    /// The key of ECH configurations (RFC 9848).
    static let ech: UInt16 = 5
    static let ipv6Hint: UInt16 = 6
    static let understood: Set<UInt16> = [mandatory, alpn, noDefaultALPN, port, ipv4Hint, ech, ipv6Hint]
  }

  /// The most address hints of one record that are used.
  private static let hintLimit = 16

  /// Parses a record's data; nil if it is malformed, which makes the whole answer unusable (RFC 9460, 2.2).
  package init?(_ data: [UInt8]) { self.init(BigEndianReader(data)) }

  init?(_ data: BigEndianReader) {
    var reader = data
    guard let priority = reader.integer16(), let target = reader.plainName() else { return nil }
    self.priority = priority
    self.target = target
    // RFC 9460, 2.4.2: "recipients MUST ignore any SvcParams that are present" in AliasMode.
    if priority == 0 { return }
    guard readParameters(&reader) else { return nil }
  }

  private mutating func readParameters(_ reader: inout BigEndianReader) -> Bool {
    var keys: Set<UInt16> = []
    var mandatory: [UInt16] = []
    var last = -1
    while !reader.isAtEnd {
      // RFC 9460, 2.2: keys "SHALL appear in increasing numeric order", each once.
      guard let key = reader.integer16(), Int(key) > last, let value = reader.array16() else { return false }
      last = Int(key)
      keys.insert(key)
      if key == Key.mandatory {
        guard let listed = ServiceBinding.keys(value) else { return false }
        mandatory = listed
      } else if !read(key, value) {
        return false
      }
    }
    // Incompatible are: a record that lacks a key it calls mandatory, or has a mandatory key that this client doesn't know (RFC 9460, 8); one
    // that removes the default protocol and lists no other (7.1.1); port 0; a mandatory "ech" without usable keys.
    isCompatible =
      mandatory.allSatisfy { keys.contains($0) && Key.understood.contains($0) } && (hasDefaultProtocol || keys.contains(Key.alpn))
      && port != 0 && (encryptedHello != nil || !mandatory.contains(Key.ech))
    return true
  }

  /// - Returns: Whether the value is well-formed for its key.
  private mutating func read(_ key: UInt16, _ value: [UInt8]) -> Bool {
    switch key {
    case Key.alpn:
      guard let names = ServiceBinding.protocols(value) else { return false }
      protocols = names
    case Key.noDefaultALPN:
      guard value.isEmpty else { return false }
      hasDefaultProtocol = false
    case Key.port:
      guard value.count == 2 else { return false }
      port = UInt16(value[0]) << 8 | UInt16(value[1])
    case Key.ipv4Hint: return readHints(value, size: 4)
    // An ECH list without a usable configuration counts as missing.
    case Key.ech: encryptedHello = EncryptedHelloKeys(value)
    case Key.ipv6Hint: return readHints(value, size: 16)
    default: break
    }
    return true
  }

  private mutating func readHints(_ value: [UInt8], size: Int) -> Bool {
    guard !value.isEmpty, value.count.isMultiple(of: size) else { return false }
    for start in stride(from: 0, to: value.count, by: size) where addressHints.count < ServiceBinding.hintLimit {
      if let text = ServiceBinding.text(Array(value[start..<start + size])) { addressHints.append(text) }
    }
    return true
  }

  /// Parses the list of mandatory keys (RFC 9460, 8): at least one, in increasing order, never `mandatory` itself. nil if malformed.
  private static func keys(_ value: [UInt8]) -> [UInt16]? {
    guard !value.isEmpty, value.count.isMultiple(of: 2) else { return nil }
    var reader = BigEndianReader(value)
    var keys: [UInt16] = []
    while let key = reader.integer16() {
      guard key > keys.last ?? Key.mandatory else { return nil }
      keys.append(key)
    }
    return keys
  }

  /// Parses the ALPN names (RFC 9460, 7.1.1), each with its length before it: at least one, none empty. nil if malformed.
  private static func protocols(_ value: [UInt8]) -> [String]? {
    var reader = BigEndianReader(value)
    var names: [String] = []
    while let length = reader.byte() {
      guard length > 0, let name = reader.array(Int(length)) else { return nil }
      names.append(String(decoding: name, as: UTF8.self))
    }
    return names.isEmpty ? nil : names
  }

  private static func text(_ address: [UInt8]) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = address.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
