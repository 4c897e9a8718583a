import Foundation

/// The width of a value in a message.
public struct OSLogStringAlignment: Sendable {
  private let columns: Int
  private let isLeft: Bool

  /// As wide as it is.
  public static let none = OSLogStringAlignment(columns: 0, isLeft: false)

  /// Filled up with spaces on the left.
  public static func right(columns: Int) -> OSLogStringAlignment { OSLogStringAlignment(columns: columns, isLeft: false) }

  /// Filled up with spaces on the right.
  public static func left(columns: Int) -> OSLogStringAlignment { OSLogStringAlignment(columns: columns, isLeft: true) }

  func apply(_ text: String) -> String {
    let missing = min(columns, 4096) - text.count
    guard missing > 0 else { return text }
    let spaces = String(repeating: " ", count: missing)
    return isLeft ? text + spaces : spaces + text
  }
}

/// How an integer is written.
public struct OSLogIntegerFormatting: Sendable {
  private var radix = 10
  private var isUppercase = false
  private var prefix = ""
  private var minDigits = 0

  /// With ten digits.
  public static let decimal = OSLogIntegerFormatting()
  /// With sixteen digits, in lower case.
  public static let hex = OSLogIntegerFormatting(radix: 16)
  /// With eight digits.
  public static let octal = OSLogIntegerFormatting(radix: 8)

  /// With at least `minDigits` digits.
  public static func decimal(explicitPositiveSign: Bool = false, minDigits: Int) -> OSLogIntegerFormatting {
    OSLogIntegerFormatting(minDigits: minDigits)
  }

  /// With sixteen digits.
  public static func hex(explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 0)
    -> OSLogIntegerFormatting
  { OSLogIntegerFormatting(radix: 16, isUppercase: uppercase, prefix: includePrefix ? "0x" : "", minDigits: minDigits) }

  func text<T: FixedWidthInteger>(_ value: T) -> String {
    let digits = String(value.magnitude, radix: radix, uppercase: isUppercase)
    let zeroes = String(repeating: "0", count: max(0, min(minDigits, 4096) - digits.count))
    return (value < 0 ? "-" : "") + prefix + zeroes + digits
  }
}

/// How a floating-point number is written.
public struct OSLogFloatFormatting: Sendable {
  private var format = "%f"

  /// With six digits behind the point.
  public static let fixed = OSLogFloatFormatting()
  /// With an exponent.
  public static let exponential = OSLogFloatFormatting(format: "%e")
  /// With an exponent where that is shorter.
  public static let hybrid = OSLogFloatFormatting(format: "%g")

  /// With `precision` digits behind the point.
  public static func fixed(precision: Int, explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
    OSLogFloatFormatting(format: "%.\(max(0, min(precision, 64)))f")
  }

  func text(_ value: Double) -> String { String(format: format, value) }
}

/// How a truth value is written.
public enum OSLogBoolFormat: Sendable {
  /// `true` or `false`.
  case truth
  /// `yes` or `no`.
  case answer

  func text(_ value: Bool) -> String {
    switch self {
    case .truth: value ? "true" : "false"
    case .answer: value ? "yes" : "no"
    }
  }
}
