/// Formats addresses as text.
package enum HexAddress {
  /// The address in hexadecimal digits without a prefix, at least eight, as in /proc/PID/maps.
  package static func text(_ address: UInt64) -> String {
    let digits = String(address, radix: 16)
    return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
  }
}
