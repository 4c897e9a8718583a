import Foundation

/// Sizes and durations in few characters. Pure.
enum Quantity {
  /// A size in three digits and decimal units: "999 B", "1.23 kB", "12.3 MB", "123 GB".
  static func bytes(_ count: Int64) -> String {
    guard count >= 1000 else { return "\(max(0, count)) B" }
    var value = Double(count)
    var unit = 0
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
    // From 999.5 on, rounding would give four digits.
    while value >= 999.5, unit + 1 < units.count {
      value /= 1000
      unit += 1
    }
    return String(format: "%.\(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)f ", value) + units[unit]
  }

  /// A duration as a clock shows it: "0:07", "12:34", "1:02:03"; "-:--" if unknown or longer than four days.
  static func clock(_ seconds: Double?) -> String {
    guard let seconds, seconds >= 0, seconds < 359_999 else { return "-:--" }
    let whole = Int(seconds.rounded())
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    return hours > 0 ? String(format: "%d:%02d:%02d", hours, minutes, rest) : String(format: "%d:%02d", minutes, rest)
  }

  /// A duration with its unit: "0.12 ms", "12.3 ms", "123 ms", "1.23 s".
  static func duration(_ seconds: Double) -> String {
    let milliseconds = max(0, seconds) * 1000
    if milliseconds >= 999.5 { return String(format: "%.2f s", milliseconds / 1000) }
    return String(format: "%.\(milliseconds < 9.995 ? 2 : milliseconds < 99.95 ? 1 : 0)f ms", milliseconds)
  }
}

extension String {
  /// The text with spaces before it, `width` characters in total.
  func alignedRight(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }

  /// The text with spaces after it, `width` characters in total.
  func alignedLeft(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  /// At most `width` characters of the text, with its middle replaced by an ellipsis.
  func shortened(_ width: Int) -> String {
    guard count > width, width > 1 else { return String(prefix(max(0, width))) }
    let head = (width - 1) * 2 / 3
    return prefix(head) + "…" + suffix(width - 1 - head)
  }

  /// The text in lines of at most `width` characters, broken at spaces; a longer word stays whole.
  func wrapped(_ width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + (line.isEmpty ? [] : [line])
  }
}
