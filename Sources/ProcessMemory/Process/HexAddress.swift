/// Addresses in text.
package enum HexAddress {
  /// Hexadecimal digits without a prefix, as /proc/PID/maps has them: at least eight.
  package static func text(_ address: UInt64) -> String {
    let digits = String(address, radix: 16)
    return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
  }
}
