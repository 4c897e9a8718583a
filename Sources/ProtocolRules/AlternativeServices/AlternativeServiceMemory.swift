import Foundation
import LoadingModel

/// What origins have said about where else they are served (RFC 7838), as long as it holds: a bounded table. A value: its owner passes the
/// time in.
package struct AlternativeServiceMemory: Sendable {
  /// What a response, or a change of the network, changes.
  package enum Change: Sendable, Hashable {
    case set(Origin, KnownAlternatives)
    case remove(Origin)

    package var origin: Origin {
      switch self {
      case .set(let origin, _), .remove(let origin): origin
      }
    }
  }

  /// Origins that are remembered. Beyond it, those whose alternatives no longer hold are forgotten, and then the tenth noted longest ago.
  package static let limit = 1000

  private var origins: [Origin: KnownAlternatives]

  package init(_ origins: [Origin: KnownAlternatives] = [:]) { self.origins = origins }

  package var isEmpty: Bool { origins.isEmpty }
  package var count: Int { origins.count }

  /// What a response from `origin` changes that has come over a connection whose server was authenticated; nil if nothing worth writing
  /// down.
  ///
  /// - Parameter now: When the response came. It is as old as its field `Age` says (3.1).
  package func change(by head: ResponseHead, from origin: Origin, now: Date) -> Change? {
    // 2.1: only TLS gives "reasonable assurances" that the origin itself is speaking. 6: "An Alt-Svc header field in a 421 (Misdirected
    // Request) response MUST be ignored".
    guard origin.scheme == "https", head.status != 421, let field = AlternativeServiceField(head.headers) else { return nil }
    let known = origins[origin]
    switch field {
    case .clear: return known == nil ? nil : .remove(origin)
    case .offers(let offers):
      // 3.1: what comes last takes the place of all before.
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

  /// Performs `change`.
  ///
  /// - Returns: The origins that were forgotten to keep the table bounded.
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

  /// What `other` hasn't of this, or has as it was noted earlier.
  package func changes(missingIn other: AlternativeServiceMemory) -> [Change] {
    origins.compactMap { origin, known in
      other.origins[origin].map { $0.noted >= known.noted } ?? false ? nil : .set(origin, known)
    }
  }

  /// The alternatives of `origin` that hold now, in the server's order of preference.
  package func services(of origin: Origin, now: Date) -> [AlternativeService] {
    origins[origin]?.entries.filter { $0.expires > now }.map(\.service) ?? []
  }

  /// What changes when a place turns out not to serve `origin`; nil if it isn't known.
  package func changeByForgetting(_ protocolName: String, host: String, port: Int, of origin: Origin) -> Change? {
    guard let known = origins[origin] else { return nil }
    let left = known.entries.filter { entry in
      let service = entry.service
      return service.protocolName != protocolName || (service.host ?? origin.host) != host || service.port != port
    }
    if left.count == known.entries.count { return nil }
    return left.isEmpty ? .remove(origin) : .set(origin, KnownAlternatives(left, noted: known.noted))
  }

  /// 2.2: "clients SHOULD remove from cache all alternative services … when they detect a network configuration change", but for those that
  /// say otherwise (3.1, "persist").
  package func changesOfNetwork() -> [Change] {
    origins.compactMap { origin, known in
      let left = known.entries.filter(\.outlastsNetwork)
      if left.count == known.entries.count { return nil }
      return left.isEmpty ? .remove(origin) : .set(origin, KnownAlternatives(left, noted: known.noted))
    }
  }
}
