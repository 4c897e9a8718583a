/// What is known of a connection of QUIC beside the facts of every connection. Thread-safe.
package final class QUICFacts: Codable, Sendable {
  /// What became of requests in the first flight (0-RTT; RFC 9001, 4.6).
  package enum EarlyData: Codable, Sendable, Hashable {
    case unused
    case accepted
    /// The server has refused them: they were sent again.
    case refused
  }

  /// The connection has moved from one local address to another (RFC 9000, 9).
  package struct Move: Codable, Sendable, Hashable {
    package var from: String
    package var to: String

    package init(from: String, to: String) {
      self.from = from
      self.to = to
    }
  }

  private struct State: Codable {
    var earlyData: EarlyData
    var moves: [Move] = []
    var moveCount = 0
  }

  /// Moves that are kept; `moveCount` counts all.
  private static let moveLimit = 16

  /// Of QUIC: 1 (RFC 9000), or 0x6B3343CF for version 2 (RFC 9369).
  package let version: UInt32
  private let state: Mutex<State>

  package init(version: UInt32, earlyData: EarlyData = .unused) {
    self.version = version
    state = Mutex(State(earlyData: earlyData))
  }

  package var earlyData: EarlyData { state.withLock(\.earlyData) }

  /// The moves, oldest first: the last ones if there were many.
  package var moves: [Move] { state.withLock(\.moves) }
  package var moveCount: Int { state.withLock(\.moveCount) }

  package func note(_ move: Move) {
    state.withLock { state in
      state.moveCount += 1
      if state.moves.count == QUICFacts.moveLimit { state.moves.removeFirst() }
      state.moves.append(move)
    }
  }

  /// The server has said what it does with early data.
  package func note(_ earlyData: EarlyData) {
    state.withLock { $0.earlyData = earlyData }
  }

  private enum CodingKeys: CodingKey {
    case version, state
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    version = try values.decode(UInt32.self, forKey: .version)
    state = Mutex(try values.decode(State.self, forKey: .state))
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(version, forKey: .version)
    try values.encode(state.withLock { $0 }, forKey: .state)
  }
}
