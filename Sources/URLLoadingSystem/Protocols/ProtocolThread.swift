import Foundation
import LoadingModel

/// A thread whose run loop turns: instances of the app's protocol classes are made and called on it, and may use `RunLoop.current`.
///
/// Owned by `ProtocolThreads`, and kept by the loads that use it. Between calls, timers and sources it sleeps. Thread-safe.
final class ProtocolThread: @unchecked Sendable {
  // @unchecked: `state` is a mutex; `loads` is used by `ProtocolThreads` alone, under its lock.
  private struct State {
    var calls: [@Sendable () -> Void] = []
    /// Calls that haven't returned; more than one where the app's code turns the run loop inside one.
    var depth = 0
    /// nil until the thread runs. While there are calls, it has been signalled.
    var source: RunLoopSource?
    var hasEnded = false
  }

  private let state = Mutex(State())
  /// Loads whose instances live on it.
  var loads = 0

  init() {
    Thread.detachNewThread { [self] in run() }
  }

  /// Whether a call runs, or waits for its turn.
  var isInCall: Bool { state.withLock { $0.depth > 0 || !$0.calls.isEmpty } }

  /// Calls in order, each as a turn of the run loop. After `end` nothing is called.
  func post(_ call: @escaping @Sendable () -> Void) {
    let source = state.withLock { state -> RunLoopSource? in
      guard !state.hasEnded else { return nil }
      state.calls.append(call)
      return state.calls.count == 1 ? state.source : nil
    }
    source?.signal()
  }

  /// Has the thread exit; no load uses it any more.
  func end() {
    let (source, _) = state.withLock { state in
      defer { (state.hasEnded, state.calls) = (true, []) }
      // What is dropped is released outside the lock.
      return (state.source, state.calls)
    }
    source?.signal()
  }

  private func run() {
    // Set here, by the thread itself, and of at most 15 bytes: other names have no effect on Linux.
    Thread.current.name = "URLProtocol"
    let source = RunLoopSource(.current, .default) { [unowned self] in callNext() }
    let isSignalled = state.withLock { state in
      state.source = source
      return !state.calls.isEmpty
    }
    if isSignalled { source.signal() }
    // The source keeps the loop from being empty, so that it sleeps.
    while !state.withLock({ $0.hasEnded }) { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
    state.withLock { $0.source = nil }
    source.remove()
    // The loop lets the source go in its next turn.
    _ = RunLoop.current.run(mode: .default, before: .distantPast)
  }

  private func callNext() {
    let (call, source) = state.withLock { state -> ((@Sendable () -> Void)?, RunLoopSource?) in
      // A loop that the app turns inside a call ends once nothing is left in it.
      if state.hasEnded { state.source?.remove() }
      guard !state.calls.isEmpty else { return (nil, nil) }
      state.depth += 1
      return (state.calls.removeFirst(), state.calls.isEmpty ? nil : state.source)
    }
    guard let call else { return }
    // Before the call, which may turn the loop itself: the calls behind it don't wait for its return then.
    source?.signal()
    call()
    state.withLock { $0.depth -= 1 }
  }
}
