/// The order in which waiting transfers of several sessions begin: next is one of the session with the fewest under way.
///
/// Within a session the highest priority comes first, then the transfer with the fewest failed attempts, so that a server that hangs doesn't keep the
/// places, then the oldest; priorities aren't compared between sessions with different numbers under way.
package enum TurnRules {
  package struct Candidate: Sendable, Equatable {
    package var identifier: Int64
    package var priority: Double
    /// How many attempts have failed.
    package var attempts = 0
  }

  /// The waiting transfers of one session.
  package struct Line: Sendable {
    /// How many transfers of the session are under way.
    package var running: Int
    /// In the order in which they begin.
    package var waiting: ArraySlice<Candidate>
  }

  /// Default for the number of transfers that are under way at once, over all sessions.
  package static let maximumRunning = 32

  /// Maximum number of transfers of one session among `maximumRunning`, so that the other sessions get a share.
  package static func largestShare(of maximumRunning: Int) -> Int { max(1, maximumRunning * 3 / 4) }

  /// The transfers that begin next.
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
    if first.priority != second.priority { return first.priority > second.priority }
    return (first.attempts, first.identifier) < (second.attempts, second.identifier)
  }
}
