import LoadingModel

/// Bytes written since the delegate was told last: one message at most waits for it, however slow it is.
final class WriteReport: Sendable {
  private struct State {
    var bytes: Int64 = 0
    var total: Int64 = 0
    var isPosted = false
  }

  private let state: Mutex<State>

  init(total: Int64) { state = Mutex(State(total: total)) }

  /// True if a message has to be posted.
  func add(_ count: Int64) -> Bool {
    state.withLock { state in
      state.bytes += count
      state.total += count
      defer { state.isPosted = true }
      return !state.isPosted
    }
  }

  /// What to tell now.
  func take() -> (bytes: Int64, total: Int64) {
    state.withLock { state in
      defer { (state.bytes, state.isPosted) = (0, false) }
      return (state.bytes, state.total)
    }
  }
}
