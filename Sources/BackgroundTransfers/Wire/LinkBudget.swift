import LoadingModel

/// What the connections of one listener hold in memory, together: bytes that wait to be sent, and those of messages that have come in part.
///
/// Each connection has bounds of its own, which many of them would multiply. When all together are above this one, the connection that holds
/// most is ended: others, which read what they are sent, go on.
package final class LinkBudget: Sendable {
  /// In bytes.
  package static let standard = 128 << 20

  private struct Holding {
    weak var link: MessageLink?
    var bytes: Int
  }

  private struct State {
    var total = 0
    var holdings: [ObjectIdentifier: Holding] = [:]
  }

  private let limit: Int
  private let state = Mutex(State())

  package init(limit: Int = LinkBudget.standard) { self.limit = limit }

  /// What all hold, in bytes.
  package var total: Int { state.withLock { $0.total } }

  /// The link holds so many bytes now. May be called with its lock held.
  /// - Returns: The link to end, without a lock held; nil if there is room.
  func hold(_ bytes: Int, by link: MessageLink) -> MessageLink? {
    state.withLock { state in
      let key = ObjectIdentifier(link)
      state.total += bytes - (state.holdings[key]?.bytes ?? 0)
      state.holdings[key] = bytes == 0 ? nil : Holding(link: link, bytes: bytes)
      guard state.total > limit else { return nil }
      return state.holdings.values.max { $0.bytes < $1.bytes }?.link
    }
  }
}
