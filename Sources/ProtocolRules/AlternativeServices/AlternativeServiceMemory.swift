import LoadingModel

/// What origins have said about where else they are served (RFC 7838), as long as it holds. A value: its owner passes the time in.
package struct AlternativeServiceMemory: Sendable {
  private struct Entry: Sendable {
    let service: AlternativeService
    let expires: Instant
    let outlastsNetwork: Bool
  }

  private struct Origins: Sendable {
    var entries: [Entry]
    let noted: Instant
  }

  /// Origins that are remembered. Beyond it, those whose alternatives no longer hold are forgotten, and then the tenth noted longest ago.
  package static let limit = 1000

  private var origins: [Origin: Origins] = [:]

  package init() {}

  package var isEmpty: Bool { origins.isEmpty }
  package var count: Int { origins.count }

  /// A response from `origin` has come over a connection whose server was authenticated.
  ///
  /// - Parameter now: When the response came. It is as old as its field `Age` says (3.1).
  package mutating func note(_ head: ResponseHead, from origin: Origin, now: Instant) {
    // 2.1: only TLS gives "reasonable assurances" that the origin itself is speaking. 6: "An Alt-Svc header field in a 421 (Misdirected
    // Request) response MUST be ignored".
    guard origin.scheme == "https", head.status != 421, let field = AlternativeServiceField(head.headers) else { return }
    switch field {
    case .clear: origins[origin] = nil
    case .offers(let offers): replace(offers, of: origin, age: AlternativeServiceMemory.age(head), now)
    }
  }

  /// 3.1: what comes last takes the place of all before.
  private mutating func replace(_ offers: [AlternativeServiceField.Offer], of origin: Origin, age: UInt64, _ now: Instant) {
    let entries = offers.compactMap { offer -> Entry? in
      guard offer.maximumAge > age else { return nil }
      let expires = now.advanced(bySeconds: Double(offer.maximumAge - age))
      return Entry(service: offer.service, expires: expires, outlastsNetwork: offer.outlastsNetwork)
    }
    origins[origin] = entries.isEmpty ? nil : Origins(entries: entries, noted: now)
    if origins.count > AlternativeServiceMemory.limit { prune(now) }
  }

  private mutating func prune(_ now: Instant) {
    origins = origins.filter { $0.value.entries.contains { $0.expires > now } }
    guard origins.count > AlternativeServiceMemory.limit else { return }
    let oldest = origins.sorted { $0.value.noted < $1.value.noted }.prefix(AlternativeServiceMemory.limit / 10)
    for (origin, _) in oldest { origins[origin] = nil }
  }

  private static func age(_ head: ResponseHead) -> UInt64 {
    guard let value = head.headers.first("age"), let age = FieldSyntaxRules.decimal(value.trimmingSpaces().utf8), age >= 0 else { return 0 }
    return UInt64(age)
  }

  /// The alternatives of `origin` that hold now, in the server's order of preference.
  package func services(of origin: Origin, now: Instant) -> [AlternativeService] {
    origins[origin]?.entries.filter { $0.expires > now }.map(\.service) ?? []
  }

  /// 2.2: "clients SHOULD remove from cache all alternative services … when they detect a network configuration change", but for those that
  /// say otherwise (3.1, "persist").
  package mutating func networkChanged() {
    for (origin, known) in origins {
      let left = known.entries.filter(\.outlastsNetwork)
      origins[origin] = left.isEmpty ? nil : Origins(entries: left, noted: known.noted)
    }
  }
}
