import Foundation

/// Sizes of memory as vmmap writes them: binary units, at most six characters. Pure.
enum MemorySize {
  /// "0K", "8176K", "132.0M", "1.6G", "16.0T".
  static func text(_ bytes: UInt64) -> String {
    let kibibytes = Double(bytes) / 1024
    if kibibytes < 9999.5 { return String(format: "%.0fK", kibibytes) }
    var (value, unit) = (kibibytes / 1024, 0)
    let units = ["M", "G", "T", "P", "E"]
    // 1023.95 would be rounded to 1024.0.
    while value >= 1023.95, unit + 1 < units.count { (value, unit) = (value / 1024, unit + 1) }
    return String(format: "%.1f", value) + units[unit]
  }

  /// With a sign: "+16K", "-1.5G", "0K".
  static func change(_ bytes: Int64) -> String {
    (bytes > 0 ? "+" : bytes < 0 ? "-" : "") + text(bytes.magnitude)
  }
}
