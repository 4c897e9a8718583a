import LoadingModel

/// Counts the bytes written since the last `didWriteData`, so that at most one such message waits on the delegate queue, however slow the delegate
/// is.
final class WriteReport: Sendable {
  private struct State {
    var bytes: Int64 = 0
    var total: Int64 = 0
    var isPosted = false
  }

  private let state: Mutex<State>

  init(total: Int64) { state = Mutex(State(total: total)) }

  /// Counts written bytes. Returns true if no message waits, so that the caller has to post one.
  func add(_ count: Int64) -> Bool {
    state.withLock { state in
      state.bytes += count
      state.total += count
      defer { state.isPosted = true }
      return !state.isPosted
    }
  }

  /// The bytes since the last message, and the total; called when the message is delivered, and allows the next one.
  func take() -> (bytes: Int64, total: Int64) {
    state.withLock { state in
      defer { (state.bytes, state.isPosted) = (0, false) }
      return (state.bytes, state.total)
    }
  }
}
