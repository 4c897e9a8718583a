import Foundation
import ProtocolRules

/// The value of `-z`: a date, or a file whose time of change is meant.
struct TimeCondition: Sendable, Equatable {
  /// Forms of dates besides those of HTTP and ISO 8601 with a time zone. As in curl, they are UTC.
  private static let forms = [
    "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm", "yyyy-MM-dd", "yyyyMMdd", "d MMM yyyy HH:mm:ss", "d MMM yyyy",
    "MMM d yyyy",
  ]

  /// The field that is sent. As in curl, a hyphen before the date asks for what is older, and an equals sign only tells the time.
  let field: String
  let date: Date

  /// nil if the text is neither a date nor the name of a file that exists.
  init?(_ text: String, now: Date) {
    let mark = text.first.flatMap { "+-=".contains($0) ? $0 : nil }
    field = mark == "-" ? "If-Unmodified-Since" : mark == "=" ? "Last-Modified" : "If-Modified-Since"
    let rest = mark == nil ? text : String(text.dropFirst())
    guard let date = TimeCondition.date(rest, now: now) ?? KeptFacts.changeTime(of: rest) else { return nil }
    self.date = date
  }

  /// The field's value.
  var value: String { HTTPDate.format(date) }

  private static func date(_ text: String, now: Date) -> Date? {
    if let date = HTTPDate.parse(text, now: now) ?? ISO8601DateFormatter().date(from: text) { return date }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.isLenient = false
    for form in forms {
      formatter.dateFormat = form
      if let date = formatter.date(from: text) { return date }
    }
    return nil
  }
}
