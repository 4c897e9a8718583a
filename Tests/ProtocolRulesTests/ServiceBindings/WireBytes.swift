@testable import ProtocolRules

/// Bytes of the DNS, for tests.
enum WireBytes {
  /// From hexadecimal digits, between which there may be spaces; none if there is anything else.
  static func of(_ hex: String) -> [UInt8] {
    let digits = hex.utf8.filter { $0 != UInt8(ascii: " ") }.compactMap(HexDigit.value)
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  static func of(_ number: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)] }

  static func name(_ text: String) -> [UInt8] {
    (DNSName(text)?.labels ?? []).flatMap { [UInt8($0.count)] + $0 } + [0]
  }

  /// A record of the answer section; its owner is the question's name where none is given.
  static func record(_ data: [UInt8], owner: [UInt8] = [0xC0, 0x0C], type: Int = 65, lifetime: Int = 300) -> [UInt8] {
    owner + of(type) + of(1) + of(lifetime >> 16) + of(lifetime) + of(data.count) + data
  }

  /// A response to a question for HTTPS records of `name`.
  static func response(_ name: String, flags: Int = 0x8180, _ records: [UInt8]...) -> [UInt8] {
    of(0x1234) + of(flags) + of(1) + of(records.count) + of(0) + of(0) + self.name(name) + of(65) + of(1) + records.flatMap(\.self)
  }
}
