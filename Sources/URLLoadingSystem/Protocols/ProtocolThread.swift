import Foundation
import LoadingModel

/// A thread with a running run loop: instances of the app's protocol classes are made and called on it, and may use `RunLoop.current`.
///
/// Owned by `ProtocolThreads` and kept alive by the loads that use it. It sleeps while there are no calls, timers and sources. Thread-safe.
final class ProtocolThread: @unchecked Sendable {
  // @unchecked: `state` is a mutex; `loads` is used by `ProtocolThreads` alone, under its lock.
  private struct State {
    var calls: [@Sendable () -> Void] = []
    /// The number of calls that haven't returned; more than one if the app's code runs the run loop inside a call.
    var depth = 0
    /// The run-loop source that makes the calls; nil until the thread runs. It is signalled while there are calls.
    var source: RunLoopSource?
    var hasEnded = false
  }

  private let state = Mutex(State())
  /// The number of loads whose instances live on this thread.
  var loads = 0

  init() {
    Thread.detachNewThread { [self] in run() }
  }

  /// Whether a call is running or queued.
  var isInCall: Bool { state.withLock { $0.depth > 0 || !$0.calls.isEmpty } }

  /// Queues a call; calls run in order, each in a turn of the run loop. After `end` they are dropped.
  func post(_ call: @escaping @Sendable () -> Void) {
    let source = state.withLock { state -> RunLoopSource? in
      guard !state.hasEnded else { return nil }
      state.calls.append(call)
      return state.calls.count == 1 ? state.source : nil
    }
    source?.signal()
  }

  /// Makes the thread exit, when no load uses it any more.
  func end() {
    let (source, _) = state.withLock { state in
      defer { (state.hasEnded, state.calls) = (true, []) }
      // The dropped calls are returned, so that they are released outside the lock.
      return (state.source, state.calls)
    }
    source?.signal()
  }

  private func run() {
    // Set by the thread itself, and at most 15 bytes long: other names have no effect on Linux.
    Thread.current.name = "URLProtocol"
    let source = RunLoopSource(.current, .default) { [unowned self] in callNext() }
    let isSignalled = state.withLock { state in
      state.source = source
      return !state.calls.isEmpty
    }
    if isSignalled { source.signal() }
    // The source keeps the run loop from being empty, so that `run` sleeps instead of returning at once.
    while !state.withLock({ $0.hasEnded }) { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
    state.withLock { $0.source = nil }
    source.remove()
    // The run loop releases the removed source in its next turn.
    _ = RunLoop.current.run(mode: .default, before: .distantPast)
  }

  private func callNext() {
    let (call, source) = state.withLock { state -> ((@Sendable () -> Void)?, RunLoopSource?) in
      // Without the source, a run loop that the app runs inside a call ends once nothing else is in it.
      if state.hasEnded { state.source?.remove() }
      guard !state.calls.isEmpty else { return (nil, nil) }
      state.depth += 1
      return (state.calls.removeFirst(), state.calls.isEmpty ? nil : state.source)
    }
    guard let call else { return }
    // Signalled before the call: if the call runs the run loop itself, the calls behind it are made there.
    source?.signal()
    call()
    state.withLock { $0.depth -= 1 }
  }
}
