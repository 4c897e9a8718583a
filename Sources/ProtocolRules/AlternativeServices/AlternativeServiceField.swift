import LoadingModel

/// The value of the field `Alt-Svc` (RFC 7838, 3).
package enum AlternativeServiceField: Sendable, Hashable {
  /// One alternative, with what its parameters say.
  package struct Offer: Sendable, Hashable {
    package let service: AlternativeService
    /// Seconds for which it may be used, counted from the response's making.
    package var maximumAge = AlternativeServiceReader.defaultMaximumAge
    /// Whether it holds on other networks, too.
    package var outlastsNetwork = false

    package init(_ service: AlternativeService) { self.service = service }
  }

  /// None of the origin's alternatives holds any more.
  case clear
  /// These hold in place of all before them, in the server's order of preference.
  case offers([Offer])

  /// Alternatives of one response that are looked at: servers name a few.
  package static let limit = 16

  /// nil if there is no such field, or one that follows no grammar: then nothing changes.
  package init?(_ headers: HeaderFields) {
    let values = headers.all("alt-svc")
    guard let first = values.first else { return nil }
    // RFC 9110, 5.3: lines of one field are one list.
    self.init(values.count == 1 ? first : values.joined(separator: ","))
  }

  package init?(_ value: String) {
    // 3: "the special value \"clear\" (case sensitive)", alone.
    if value.trimmingSpaces() == "clear" {
      self = .clear
      return
    }
    var reader = AlternativeServiceReader(value)
    guard let offers = reader.offers(atMost: AlternativeServiceField.limit) else { return nil }
    self = .offers(offers)
  }
}
