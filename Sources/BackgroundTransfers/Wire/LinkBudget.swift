import LoadingModel

/// Counts what all connections of one listener hold in memory together: bytes that wait to be sent, and incomplete incoming messages.
///
/// Each connection has its own bounds, but many connections together could still hold too much. Above this budget the connection that holds the most
/// is ended; peers that read what they are sent aren't affected.
package final class LinkBudget: Sendable {
  /// Default limit in bytes.
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

  /// Bytes that all connections hold now.
  package var total: Int { state.withLock { $0.total } }

  /// Notes how many bytes the link holds now. May be called with the link's lock held.
  /// - Returns: The link that the caller has to end, once it holds no lock; nil if there is room.
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
