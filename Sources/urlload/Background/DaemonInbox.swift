import BackgroundTransfers
@preconcurrency import Dispatch
import LoadingModel

/// What the daemon has said and the command hasn't read yet. Filled on the link's queue, emptied by the command's thread.
final class DaemonInbox: Sendable {
  private struct State {
    var messages: [DaemonMessage] = []
    var end: ToolFailure?
  }

  private let state = Mutex(State())
  /// Counts the messages, and the end.
  private let arrivals = DispatchSemaphore(value: 0)

  /// A list replaces one that hasn't been read: a terminal that is slow is shown the latest.
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

  /// Nothing more comes after what has come. The first reason counts.
  func end(_ failure: ToolFailure) {
    let isFirst = state.withLock { state in
      defer { state.end = state.end ?? failure }
      return state.end == nil
    }
    if isFirst { arrivals.signal() }
  }

  /// The next message. Blocks.
  /// - Parameter seconds: How long to wait; nil without end.
  /// - Throws: If the connection has ended, or nothing comes in time.
  func next(within seconds: Double?) throws(ToolFailure) -> DaemonMessage {
    guard arrivals.wait(timeout: seconds.map { .now() + $0 } ?? .distantFuture) == .success else {
      throw ToolFailure(.timedOut, "urlsessiond hasn't answered for \(Int(seconds ?? 0)) seconds; 'urlload background status' may say more")
    }
    let (message, end) = state.withLock { state in (state.messages.isEmpty ? nil : state.messages.removeFirst(), state.end) }
    if let message { return message }
    // For the next call too.
    arrivals.signal()
    throw end ?? ToolFailure(.connectionLost, "the connection to urlsessiond has ended")
  }
}
