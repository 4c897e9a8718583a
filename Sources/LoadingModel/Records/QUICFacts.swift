/// The facts about a QUIC connection besides those of every connection. Thread-safe.
package final class QUICFacts: Codable, Sendable {
  /// What the server did with requests that were sent before the handshake was over (0-RTT; RFC 9001, 4.6).
  package enum EarlyData: Codable, Sendable, Hashable {
    case unused
    case accepted
    /// The server has refused the early requests: they were sent again.
    case refused
  }

  /// A migration of the connection from one local address to another (RFC 9000, 9).
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

  /// The most migrations that are kept; `moveCount` counts all.
  private static let moveLimit = 16

  /// The QUIC version: 1 (RFC 9000), or 0x6B3343CF for version 2 (RFC 9369).
  package let version: UInt32
  private let state: Mutex<State>

  package init(version: UInt32, earlyData: EarlyData = .unused) {
    self.version = version
    state = Mutex(State(earlyData: earlyData))
  }

  package var earlyData: EarlyData { state.withLock(\.earlyData) }

  /// The migrations, oldest first; only the last `moveLimit` of them.
  package var moves: [Move] { state.withLock(\.moves) }
  package var moveCount: Int { state.withLock(\.moveCount) }

  package func note(_ move: Move) {
    state.withLock { state in
      state.moveCount += 1
      if state.moves.count == QUICFacts.moveLimit { state.moves.removeFirst() }
      state.moves.append(move)
    }
  }

  /// Notes whether the server has accepted early data.
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
