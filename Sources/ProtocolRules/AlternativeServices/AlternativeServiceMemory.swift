import Foundation
import LoadingModel

/// The alternative services that origins have advertised (RFC 7838), with their dates of expiry, in a bounded table. A value without a clock:
/// callers pass the time in.
package struct AlternativeServiceMemory: Sendable {
  /// One change of the table: an origin's alternatives are replaced or removed. The caller applies it, and writes it to disk.
  package enum Change: Sendable, Hashable {
    case set(Origin, KnownAlternatives)
    case remove(Origin)

    package var origin: Origin {
      switch self {
      case .set(let origin, _), .remove(let origin): origin
      }
    }
  }

  /// The most origins in the table. When there are more, those whose alternatives have all expired are removed; if none have, those with the
  /// oldest advertisements: a tenth of the limit.
  package static let limit = 1000

  private var origins: [Origin: KnownAlternatives]

  package init(_ origins: [Origin: KnownAlternatives] = [:]) { self.origins = origins }

  package var isEmpty: Bool { origins.isEmpty }
  package var count: Int { origins.count }

  /// The change of the table that a response from `origin` causes; nil if it causes none that is worth a write. The response must have come over
  /// a connection whose server was authenticated.
  ///
  /// - Parameter now: When the response arrived. Its field `Age` shortens the time that the alternatives are valid (RFC 7838, 3.1).
  package func change(by head: ResponseHead, from origin: Origin, now: Date) -> Change? {
    // RFC 7838, 2.1: only TLS gives "reasonable assurances" that the origin itself is speaking. 6: "An Alt-Svc header field in a 421 (Misdirected
    // Request) response MUST be ignored".
    guard origin.scheme == "https", head.status != 421, let field = AlternativeServiceField(head.headers) else { return nil }
    let known = origins[origin]
    switch field {
    case .clear: return known == nil ? nil : .remove(origin)
    case .offers(let offers):
      // RFC 7838, 3.1: the newest field replaces all earlier alternatives of the origin.
      let said = AlternativeServiceMemory.alternatives(offers, age: AlternativeServiceMemory.age(head), now)
      if said.entries.isEmpty { return known == nil ? nil : .remove(origin) }
      if let known, known.isRepeated(by: said) { return nil }
      return .set(origin, said)
    }
  }

  private static func alternatives(_ offers: [AlternativeServiceField.Offer], age: UInt64, _ now: Date) -> KnownAlternatives {
    let entries = offers.compactMap { offer -> KnownAlternatives.Entry? in
      guard offer.maximumAge > age else { return nil }
      let expires = now.addingTimeInterval(Double(offer.maximumAge - age))
      return KnownAlternatives.Entry(offer.service, expires: expires, outlastsNetwork: offer.outlastsNetwork)
    }
    return KnownAlternatives(entries, noted: now)
  }

  private static func age(_ head: ResponseHead) -> UInt64 {
    guard let value = head.headers.first("age"), let age = FieldSyntaxRules.decimal(value.trimmingSpaces().utf8), age >= 0 else { return 0 }
    return UInt64(age)
  }

  /// Applies `change` to the table.
  ///
  /// - Returns: The origins that were removed to keep the table within `limit`.
  package mutating func apply(_ change: Change, now: Date) -> [Origin] {
    switch change {
    case .remove(let origin):
      origins[origin] = nil
      return []
    case .set(let origin, let said):
      origins[origin] = said
      return origins.count > AlternativeServiceMemory.limit ? shrink(now) : []
    }
  }

  private mutating func shrink(_ now: Date) -> [Origin] {
    var forgotten = origins.filter { $0.value.entries.allSatisfy { $0.expires <= now } }.map(\.key)
    if forgotten.isEmpty {
      let byAge = origins.sorted { ($0.value.noted, $0.key.host) < ($1.value.noted, $1.key.host) }
      forgotten = byAge.prefix(AlternativeServiceMemory.limit / 10).map(\.key)
    }
    for origin in forgotten { origins[origin] = nil }
    return forgotten
  }

  /// Changes that add to `other` the origins that it lacks, or has with an older advertisement.
  package func changes(missingIn other: AlternativeServiceMemory) -> [Change] {
    origins.compactMap { origin, known in
      other.origins[origin].map { $0.noted >= known.noted } ?? false ? nil : .set(origin, known)
    }
  }

  /// The alternatives of `origin` that haven't expired at `now`, in the server's order of preference.
  package func services(of origin: Origin, now: Date) -> [AlternativeService] {
    origins[origin]?.entries.filter { $0.expires > now }.map(\.service) ?? []
  }

  /// The change that removes an alternative which turned out not to serve `origin`; nil if the table doesn't have it.
  package func changeByForgetting(_ protocolName: String, host: String, port: Int, of origin: Origin) -> Change? {
    guard let known = origins[origin] else { return nil }
    let left = known.entries.filter { entry in
      let service = entry.service
      return service.protocolName != protocolName || (service.host ?? origin.host) != host || service.port != port
    }
    if left.count == known.entries.count { return nil }
    return left.isEmpty ? .remove(origin) : .set(origin, KnownAlternatives(left, noted: known.noted))
  }

  /// The changes to make when the network changes. RFC 7838, 2.2: "clients SHOULD remove from cache all alternative services … when they detect a
  /// network configuration change", except those with `persist=1` (3.1).
  package func changesOfNetwork() -> [Change] {
    origins.compactMap { origin, known in
      let left = known.entries.filter(\.outlastsNetwork)
      if left.count == known.entries.count { return nil }
      return left.isEmpty ? .remove(origin) : .set(origin, KnownAlternatives(left, noted: known.noted))
    }
  }
}
