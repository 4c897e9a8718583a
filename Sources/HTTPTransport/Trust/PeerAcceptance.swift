/// How the server of a full handshake came to be accepted: one way for a connection, several for what a load may use.
///
/// A handshake's tickets carry this on: a resumed session's certificates aren't evaluated again. What a delegate has accepted against the
/// evaluation serves the loads of that delegate alone.
package struct PeerAcceptance: Hashable, Sendable {
  private let ways: UInt8
  /// The number of the delegate that accepts, or has accepted, servers against the evaluation (`PeerDeciders`).
  private let decider: Int

  private init(_ ways: UInt8, _ decider: Int = 0) {
    self.ways = ways
    self.decider = decider
  }

  private static let wayEvaluated: UInt8 = 1
  private static let wayConfirmed: UInt8 = 2
  private static let wayOverridden: UInt8 = 4

  /// There was nothing to accept: a connection without TLS.
  package static let unneeded = PeerAcceptance(0)
  /// It passed the evaluation; the app wasn't asked.
  package static let evaluated = PeerAcceptance(wayEvaluated)
  /// It passed the evaluation, and the app agreed.
  package static let confirmed = PeerAcceptance(wayConfirmed)

  /// It didn't pass the evaluation: a delegate accepted it.
  package static func overridden(by decider: Int) -> PeerAcceptance { PeerAcceptance(wayOverridden, decider) }

  /// What a load without an app to ask may use.
  package static let unasked = PeerAcceptance(wayEvaluated | wayConfirmed)

  /// What a load may use whose delegate is asked.
  package static func asked(_ decider: Int) -> PeerAcceptance { PeerAcceptance(wayConfirmed | wayOverridden, decider) }

  /// Whether a delegate has accepted the server against the evaluation.
  package var isOverridden: Bool { ways == PeerAcceptance.wayOverridden }

  /// Whether a load that may use this may use a connection whose server was accepted in the way of `other`.
  package func contains(_ other: PeerAcceptance) -> Bool {
    guard ways & other.ways == other.ways else { return false }
    return other.ways & PeerAcceptance.wayOverridden == 0 || decider == other.decider
  }
}

/// Numbers the delegates that decide about servers, in one URL session. Confined to its event loop.
package final class PeerDeciders {
  private struct Entry {
    weak var decider: AnyObject?
    let number: Int
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  private var last = 0
  /// The count of entries at which those of released delegates are removed.
  private var limit = 64

  package init() {}

  /// The delegate's number: never another one's, not even of one that has its place in memory later. A released delegate shares with none.
  package func number(of decider: AnyObject?) -> Int {
    if let decider, let entry = entries[ObjectIdentifier(decider)], entry.decider === decider { return entry.number }
    last += 1
    guard let decider else { return last }
    if entries.count >= limit {
      entries = entries.filter { $0.value.decider != nil }
      limit = max(64, entries.count * 2)
    }
    entries[ObjectIdentifier(decider)] = Entry(decider: decider, number: last)
    return last
  }
}
