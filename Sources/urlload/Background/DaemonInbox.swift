import BackgroundTransfers
@preconcurrency import Dispatch
import LoadingModel

/// The daemon's messages that the command hasn't read yet. Filled on the link's queue, emptied by the command's thread.
final class DaemonInbox: Sendable {
  private struct State {
    var messages: [DaemonMessage] = []
    var end: ToolFailure?
  }

  private let state = Mutex(State())
  /// Counts the unread messages, and the end of the connection.
  private let arrivals = DispatchSemaphore(value: 0)

  /// Adds a message. A list replaces an unread list before it, so that a slow terminal is shown the latest one.
  func add(_ message: DaemonMessage) {
    let isAdded = state.withLock { state in
      guard state.end == nil else { return false }
      if case .tool(.transfers) = message, case .tool(.transfers)? = state.messages.last {
        state.messages[state.messages.count - 1] = message
        return false
      }
      state.messages.append(message)
      return true
    }
    if isAdded { arrivals.signal() }
  }

  /// Notes why no further messages come: messages before it can still be read. Only the first call counts.
  func end(_ failure: ToolFailure) {
    let isFirst = state.withLock { state in
      defer { state.end = state.end ?? failure }
      return state.end == nil
    }
    if isFirst { arrivals.signal() }
  }

  /// The next message. Blocks.
  /// - Parameter seconds: How long to wait; nil for no limit.
  /// - Throws: If the connection has ended, or no message comes in time.
  func next(within seconds: Double?) throws(ToolFailure) -> DaemonMessage {
    guard arrivals.wait(timeout: seconds.map { .now() + $0 } ?? .distantFuture) == .success else {
      throw ToolFailure(.timedOut, "urlsessiond hasn't answered for \(Int(seconds ?? 0)) seconds; 'urlload background status' may say more")
    }
    let (message, end) = state.withLock { state in (state.messages.isEmpty ? nil : state.messages.removeFirst(), state.end) }
    if let message { return message }
    // The end of the connection counts again, so that a later call doesn't wait either.
    arrivals.signal()
    throw end ?? ToolFailure(.connectionLost, "the connection to urlsessiond has ended")
  }
}
