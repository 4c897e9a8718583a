/// Why the server of a full handshake was accepted. The property of a connection has one reason; what a load tolerates is a set of them.
///
/// Tickets carry the reason on, as the certificates of a resumed session aren't evaluated again. A connection that a delegate has accepted against
/// the evaluation only serves loads of that delegate.
package struct PeerAcceptance: Hashable, Sendable {
  private let ways: UInt8
  /// The number (`PeerDeciders`) of the delegate that has accepted the server against the evaluation, or that would be asked; 0 for none.
  private let decider: Int

  private init(_ ways: UInt8, _ decider: Int = 0) {
    self.ways = ways
    self.decider = decider
  }

  private static let wayEvaluated: UInt8 = 1
  private static let wayConfirmed: UInt8 = 2
  private static let wayOverridden: UInt8 = 4

  /// The connection has no TLS, so there was no server to accept.
  package static let unneeded = PeerAcceptance(0)
  /// The server passed the evaluation; the app wasn't asked.
  package static let evaluated = PeerAcceptance(wayEvaluated)
  /// The server passed the evaluation, and the app accepted it as well.
  package static let confirmed = PeerAcceptance(wayConfirmed)

  /// The server failed the evaluation, and the delegate with this number accepted it nevertheless.
  package static func overridden(by decider: Int) -> PeerAcceptance { PeerAcceptance(wayOverridden, decider) }

  /// The acceptances that a load without an app to ask tolerates.
  package static let unasked = PeerAcceptance(wayEvaluated | wayConfirmed)

  /// The acceptances that a load tolerates whose delegate, with this number, wants to be asked.
  package static func asked(_ decider: Int) -> PeerAcceptance { PeerAcceptance(wayConfirmed | wayOverridden, decider) }

  /// Whether a delegate has accepted the server against the evaluation.
  package var isOverridden: Bool { ways == PeerAcceptance.wayOverridden }

  /// Whether a load that tolerates this set may use a connection with the acceptance `other`.
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

  /// The delegate's number, which no other delegate gets, even at the same address in memory later. nil, a released delegate, gets a new number.
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
