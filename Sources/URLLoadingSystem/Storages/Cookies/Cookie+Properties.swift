import Foundation
import LoadingModel
import ProtocolRules

extension Cookie {
  /// Makes a cookie for `HTTPCookie.init(properties:)`; nil if a required property is missing or unusable.
  ///
  /// - Parameter now: The time from which `maximumAge` counts.
  init?(properties: [HTTPCookiePropertyKey: Any], now: Date) {
    guard let name = Self.text(properties[.name]), let value = Self.text(properties[.value]), let path = Self.text(properties[.path]),
      let domain = Self.text(properties[.domain]) ?? Self.url(properties[.originURL])?.host,
      !name.isEmpty, !domain.isEmpty,
      // Control characters, such as line breaks, would end the header field in which the cookie is sent.
      ![name, value, path, domain].contains(where: { $0.utf8.contains(where: CookieRules.isControl) })
    else { return nil }
    let version = Self.text(properties[.version]) == "1" ? 1 : 0
    let maximumAge = Self.text(properties[.maximumAge]).flatMap { SetCookieField.maximumAge($0) }
    // As Apple documents: Expires counts for version 0, Max-Age for version 1.
    let expires = version == 0 ? Self.date(properties[.expires]) : maximumAge.map { now.addingTimeInterval($0) }
    let isDiscarded = Self.text(properties[.discard]).map { $0.uppercased() == "TRUE" } ?? (version == 1 && maximumAge == nil)
    self.init(
      name: name, value: value, domain: domain.lowercased(), path: path.hasPrefix("/") ? path : "/",
      expires: isDiscarded ? nil : expires.flatMap { Self.bounded($0) })
    self.version = version
    isSecure = Self.isTrue(properties[.secure])
    isHTTPOnly = Self.isTrue(properties[.httpOnly])
    comment = Self.text(properties[.comment])
    commentURL = Self.url(properties[.commentURL])
    let numbers = Self.text(properties[.port])?.split(separator: ",").compactMap { Int($0.trimmingSpaces()) } ?? []
    // As Apple documents: a cookie of version 0 has one port at most.
    ports = numbers.isEmpty ? nil : version == 0 ? Array(numbers.prefix(1)) : numbers
    sameSite =
      (properties[.sameSitePolicy] as? HTTPCookieStringPolicy)?.rawValue.lowercased()
      ?? Self.text(properties[.sameSitePolicy]).flatMap { SetCookieField.sameSite($0) }
    partition = Self.text(properties[.partition])
    isSetByJavaScript = Self.isTrue(properties[.setByJavaScript])
  }

  /// Properties from which `init(properties:now:)` makes the same cookie.
  func properties(created: Date) -> [HTTPCookiePropertyKey: Any] {
    var result: [HTTPCookiePropertyKey: Any] = [
      .name: name, .value: value, .domain: domain, .path: path, .version: String(version),
      .created: created.timeIntervalSinceReferenceDate,
    ]
    if version == 0 {
      result[.expires] = expires
    } else if let expires, let seconds = Int(exactly: expires.timeIntervalSince(created).rounded()) {
      result[.maximumAge] = String(seconds)
    }
    if isSessionOnly { result[.discard] = "TRUE" }
    if isSecure { result[.secure] = "TRUE" }
    if isHTTPOnly { result[.httpOnly] = "TRUE" }
    if isSetByJavaScript { result[.setByJavaScript] = "TRUE" }
    result[.comment] = comment
    result[.commentURL] = commentURL
    result[.port] = ports.map { $0.map { String($0) }.joined(separator: ",") }
    result[.sameSitePolicy] = sameSite
    result[.partition] = partition
    return result
  }

  static func text(_ value: Any?) -> String? {
    switch value {
    case let text as String: text
    case let text as any StringProtocol: String(text)
    case let number as NSNumber: number.stringValue
    case let number as Int: String(number)
    default: nil
    }
  }

  /// `date` limited to the years 0 to 9999, which stores and calendars can represent; nil for NaN.
  static func bounded(_ date: Date) -> Date? {
    let seconds = date.timeIntervalSince1970
    return seconds.isNaN ? nil : Date(timeIntervalSince1970: min(max(seconds, -62_167_219_200), 253_402_300_799))
  }

  private static func url(_ value: Any?) -> URL? {
    (value as? URL) ?? text(value).flatMap { URL(string: $0) }
  }

  private static func date(_ value: Any?) -> Date? {
    (value as? Date) ?? text(value).flatMap { CookieDate.parse($0) }
  }

  /// Whether a flag such as `.secure` is set: by any value but "FALSE", 0 and false. (Apple takes every value as yes.)
  private static func isTrue(_ value: Any?) -> Bool {
    switch value {
    case nil: false
    case let flag as Bool: flag
    case let number as NSNumber: number.boolValue
    default: text(value).map { $0.uppercased() != "FALSE" && $0 != "0" } ?? true
    }
  }
}
