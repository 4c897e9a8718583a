import LoadingModel

/// The value of the field `Alt-Svc` (RFC 7838, 3).
package enum AlternativeServiceField: Sendable, Hashable {
  /// One alternative service of the field, with its parameters `ma` and `persist`.
  package struct Offer: Sendable, Hashable {
    package let service: AlternativeService
    /// Seconds for which the alternative may be used, counted from the response's generation (`ma`).
    package var maximumAge = AlternativeServiceReader.defaultMaximumAge
    /// Whether the alternative stays valid after a change of network (`persist=1`).
    package var outlastsNetwork = false

    package init(_ service: AlternativeService) { self.service = service }
  }

  /// `clear`: all alternatives of the origin become invalid.
  case clear
  /// Alternatives that replace all earlier ones of the origin, in the server's order of preference.
  case offers([Offer])

  /// The most alternatives that are read from one response; servers name a few. Further ones are ignored.
  package static let limit = 16

  /// Reads the `Alt-Svc` fields of a response. nil if there are none or the value is malformed: then the known alternatives stay as they are.
  package init?(_ headers: HeaderFields) {
    let values = headers.all("alt-svc")
    guard let first = values.first else { return nil }
    // RFC 9110, 5.3: several lines of one field are one list.
    self.init(values.count == 1 ? first : values.joined(separator: ","))
  }

  package init?(_ value: String) {
    // RFC 7838, 3: "the special value \"clear\" (case sensitive)", which stands alone.
    if value.trimmingSpaces() == "clear" {
      self = .clear
      return
    }
    var reader = AlternativeServiceReader(value)
    guard let offers = reader.offers(atMost: AlternativeServiceField.limit) else { return nil }
    self = .offers(offers)
  }
}
