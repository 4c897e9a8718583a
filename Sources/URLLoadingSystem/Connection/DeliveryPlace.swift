import Foundation
import LoadingModel

/// Where the delegate of a connection is called: on run loops, on an operation queue, or, once the connection has ended, on any thread.
///
/// Owned by the connection, and through `queue` by the pump of its load. Thread-safe. Calls that are added while there is no run loop or queue wait
/// for one.
final class DeliveryPlace: Sendable {
  /// The operation queue that `DelegatePump` is given: it forwards each operation to the run loops or the queue.
  private final class Queue: OperationQueue, @unchecked Sendable {
    // @unchecked: `state` is a mutex; what `OperationQueue` stores is thread-safe.
    let state = Mutex(State())

    override init() {
      super.init()
      maxConcurrentOperationCount = 1
    }

    override func addOperation(_ operation: Operation) {
      // Anything else is what the app adds to `OperationQueue.current`.
      guard let operation = operation as? DelegateOperation else { return super.addOperation(operation) }
      change { $0.waiting.append(operation.call) }
    }

    /// Changes the state, and schedules the waiting calls at the new place.
    func change(_ change: (inout State) -> Void) {
      let (place, count) = state.withLock { state in
        change(&state)
        return (state.place, state.waiting.count)
      }
      guard count > 0 else { return }
      switch place {
      case .loops(let sources): for source in sources { source.signal() }
      case .queue(let queue): for _ in 0..<count { queue.addOperation(DelegateOperation { [self] in callNext() }) }
      case .anywhere: for _ in 0..<count { super.addOperation(DelegateOperation { [self] in callNext() }) }
      }
    }

    func callNext() {
      let next = state.withLock { state in state.waiting.isEmpty ? nil : state.waiting.removeFirst() }
      next?()
    }
  }

  private enum Place {
    case loops([RunLoopSource])
    case queue(OperationQueue)
    case anywhere
  }

  private struct State {
    var place = Place.loops([])
    /// Calls that haven't been made yet: at most one of the pump's, which adds the next when it has returned.
    var waiting: [@Sendable () -> Void] = []
  }

  private let calls = Queue()

  /// The operation queue to which the connection's `DelegatePump` adds its calls.
  var queue: OperationQueue { calls }

  /// Whether the app has scheduled the connection in a run loop or set a queue.
  var isSet: Bool {
    calls.state.withLock { state in
      if case .loops(let sources) = state.place { !sources.isEmpty } else { true }
    }
  }

  func schedule(_ loop: RunLoop, _ mode: RunLoop.Mode) {
    let source = RunLoopSource(loop, mode) { [weak calls] in calls?.callNext() }
    var isRefused = false
    calls.change { state in
      switch state.place {
      case .loops(let sources): state.place = .loops(sources + [source])
      case .queue: state.place = .loops([source])
      case .anywhere: isRefused = true
      }
    }
    if isRefused { source.remove() }
  }

  func unschedule(_ loop: RunLoop, _ mode: RunLoop.Mode) {
    let removed = calls.state.withLock { state -> [RunLoopSource] in
      guard case .loops(let sources) = state.place else { return [] }
      state.place = .loops(sources.filter { !$0.isOn(loop, mode) })
      return sources.filter { $0.isOn(loop, mode) }
    }
    for source in removed { source.remove() }
  }

  /// - Parameter queue: The queue for the delegate's calls; nil removes queue and run loops, so that calls wait.
  func set(_ queue: OperationQueue?) {
    replace(by: queue.map { .queue($0) } ?? .loops([]))
  }

  /// Lets all later calls run on any thread. After the end of a connection none of them calls the app, and none should wait for a run loop that may
  /// never run again.
  func release() { replace(by: .anywhere) }

  private func replace(by place: Place) {
    var past: [RunLoopSource] = []
    calls.change { state in
      // After `release()`, the place doesn't change any more.
      if case .anywhere = state.place { return }
      if case .loops(let sources) = state.place { past = sources }
      state.place = place
    }
    for source in past { source.remove() }
  }
}
