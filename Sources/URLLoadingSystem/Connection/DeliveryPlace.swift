import Foundation
import LoadingModel

/// Where the delegate of a connection is called: on run loops, on an operation queue, or, once the connection has ended, anywhere.
///
/// Owned by the connection, and by the pump of its load through `queue`. Thread-safe. What is put on the queue while there is no place waits.
final class DeliveryPlace: Sendable {
  /// Looks like an operation queue to `DelegatePump`.
  private final class Queue: OperationQueue, @unchecked Sendable {
    // @unchecked: `state` is a mutex; what `OperationQueue` stores is thread-safe.
    let state = Mutex(State())

    override init() {
      super.init()
      maxConcurrentOperationCount = 1
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
      change { $0.waiting.append(block) }
    }

    /// Changes the state, and has what waits be called.
    func change(_ change: (inout State) -> Void) {
      let (place, count) = state.withLock { state in
        change(&state)
        return (state.place, state.waiting.count)
      }
      guard count > 0 else { return }
      switch place {
      case .loops(let sources): for source in sources { source.signal() }
      case .queue(let queue): for _ in 0..<count { queue.addOperation { [self] in callNext() } }
      case .anywhere: for _ in 0..<count { super.addOperation { [self] in callNext() } }
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
    /// At most one call of a pump's, which adds the next when it has returned.
    var waiting: [@Sendable () -> Void] = []
  }

  private let calls = Queue()

  /// What `DelegatePump` puts its calls on.
  var queue: OperationQueue { calls }

  /// Whether the app has named a place.
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

  /// - Parameter queue: nil for no place.
  func set(_ queue: OperationQueue?) {
    replace(by: queue.map { .queue($0) } ?? .loops([]))
  }

  /// No call that comes is for the app: none waits for a run loop that may never turn again.
  func release() { replace(by: .anywhere) }

  private func replace(by place: Place) {
    var past: [RunLoopSource] = []
    calls.change { state in
      // Once released, the place stays so.
      if case .anywhere = state.place { return }
      if case .loops(let sources) = state.place { past = sources }
      state.place = place
    }
    for source in past { source.remove() }
  }
}
