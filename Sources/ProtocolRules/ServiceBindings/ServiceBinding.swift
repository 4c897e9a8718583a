import Foundation

/// One HTTPS record of the DNS (RFC 9460, 9), or one SVCB record, which has the same form.
package struct ServiceBinding: Sendable, Hashable {
  /// 0 is AliasMode (2.4.2); a lower one is preferred.
  package let priority: UInt16
  /// The root stands for the record's own name in ServiceMode, and for "no such service" in AliasMode (2.5).
  package let target: DNSName
  /// What ALPN may choose there, as the record lists it.
  package private(set) var protocols: [String] = []
  /// Whether the scheme's default protocol is offered beside those listed (7.1).
  package private(set) var hasDefaultProtocol = true
  package private(set) var port: UInt16?
  /// Addresses of the target, as text, to be used until the DNS has been asked for them (7.3).
  package private(set) var addressHints: [String] = []
  /// The keys by which a ClientHello to the target is encrypted; nil if there are none that can be used (RFC 9848).
  package private(set) var encryptedHello: EncryptedHelloKeys?
  /// Whether all that a client must understand is understood here, and agrees with the rest (8). If not, the record is of no use.
  package private(set) var isCompatible = true

  package var isAlias: Bool { priority == 0 }

  /// The keys of RFC 9460, 14.3.2 that are read.
  enum Key {
    static let mandatory: UInt16 = 0
    static let alpn: UInt16 = 1
    static let noDefaultALPN: UInt16 = 2
    static let port: UInt16 = 3
    static let ipv4Hint: UInt16 = 4
    /// RFC 9848's.
    static let ech: UInt16 = 5
    static let ipv6Hint: UInt16 = 6
    static let understood: Set<UInt16> = [mandatory, alpn, noDefaultALPN, port, ipv4Hint, ech, ipv6Hint]
  }

  /// Addresses of one record that are used.
  private static let hintLimit = 16

  /// From a record's data; nil if it is malformed, and with it the whole answer (2.2).
  package init?(_ data: [UInt8]) { self.init(BigEndianReader(data)) }

  init?(_ data: BigEndianReader) {
    var reader = data
    guard let priority = reader.integer16(), let target = reader.plainName() else { return nil }
    self.priority = priority
    self.target = target
    // 2.4.2: "recipients MUST ignore any SvcParams that are present" in AliasMode.
    if priority == 0 { return }
    guard readParameters(&reader) else { return nil }
  }

  private mutating func readParameters(_ reader: inout BigEndianReader) -> Bool {
    var keys: Set<UInt16> = []
    var mandatory: [UInt16] = []
    var last = -1
    while !reader.isAtEnd {
      // 2.2: keys "SHALL appear in increasing numeric order", each once.
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
    // 8: a record without what it calls mandatory contradicts itself, and one that calls for the unknown is for other clients. 7.1.1: so
    // does one that takes the default protocol back and names none. Port 0 is none.
    isCompatible =
      mandatory.allSatisfy { keys.contains($0) && Key.understood.contains($0) } && (hasDefaultProtocol || keys.contains(Key.alpn))
      && port != 0 && (encryptedHello != nil || !mandatory.contains(Key.ech))
    return true
  }

  /// - Returns: Whether the value has its key's form.
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
    // A list that can't be used counts as none.
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

  /// 8: at least one key, in increasing order, never `mandatory` itself.
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

  /// 7.1.1: names with their lengths, at least one, none empty.
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
