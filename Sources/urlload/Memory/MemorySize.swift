import Foundation

/// Sizes of memory in vmmap's form: binary units, at most six characters. Pure.
enum MemorySize {
  /// A size, such as "0K", "8176K", "132.0M", "1.6G" or "16.0T".
  static func text(_ bytes: UInt64) -> String {
    let kibibytes = Double(bytes) / 1024
    if kibibytes < 9999.5 { return String(format: "%.0fK", kibibytes) }
    var (value, unit) = (kibibytes / 1024, 0)
    let units = ["M", "G", "T", "P", "E"]
    // From 1023.95 on, rounding would give 1024.0.
    while value >= 1023.95, unit + 1 < units.count { (value, unit) = (value / 1024, unit + 1) }
    return String(format: "%.1f", value) + units[unit]
  }

  /// A change of size with its sign, such as "+16K", "-1.5G" or "0K".
  static func change(_ bytes: Int64) -> String {
    (bytes > 0 ? "+" : bytes < 0 ? "-" : "") + text(bytes.magnitude)
  }
}
