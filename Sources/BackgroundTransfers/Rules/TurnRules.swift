/// Whose transfer begins next, where several sessions have some: that of the session with the fewest under way.
///
/// Within a session the one of the highest priority comes first, then the oldest: a priority says nothing about other apps' transfers.
package enum TurnRules {
  package struct Candidate: Sendable, Equatable {
    package var identifier: Int64
    package var priority: Double
  }

  /// What waits in one session.
  package struct Line: Sendable {
    /// How many of the session are under way.
    package var running: Int
    /// In their order.
    package var waiting: ArraySlice<Candidate>
  }

  /// How many transfers are under way at once, over all sessions, where the daemon isn't told another number.
  package static let maximumRunning = 32

  /// How many of the transfers that may run may be of one session, so that others get their turn.
  package static func largestShare(of maximumRunning: Int) -> Int { max(1, maximumRunning * 3 / 4) }

  /// - Returns: At most `limit` identifiers, the first to begin first.
  package static func order(_ lines: [Line], limit: Int) -> [Int64] {
    var lines = lines.filter { !$0.waiting.isEmpty }
    var turns: [Int64] = []
    while turns.count < limit, let index = lines.indices.min(by: { precedes(lines[$0], lines[$1]) }) {
      if let next = lines[index].waiting.popFirst() { turns.append(next.identifier) }
      lines[index].running += 1
      if lines[index].waiting.isEmpty { lines.remove(at: index) }
    }
    return turns
  }

  private static func precedes(_ one: Line, _ other: Line) -> Bool {
    if one.running != other.running { return one.running < other.running }
    guard let first = one.waiting.first, let second = other.waiting.first else { return one.waiting.count > other.waiting.count }
    return first.priority != second.priority ? first.priority > second.priority : first.identifier < second.identifier
  }
}
