import Foundation
import LoadingModel

/// Calls a stream's delegate for events: on the run loops in which the stream is scheduled, or on its dispatch queue. Thread-safe.
///
/// Events that happen before there is a run loop or queue wait. Several waiting events of one kind are delivered once, as by Apple's streams.
final class StreamEventDelivery: @unchecked Sendable {
  // @unchecked: `state` is a mutex; `isStillTrue` is set by the owner's initialiser alone, before any event.
  private struct State: @unchecked Sendable {
    // @unchecked: `stream` and `sources` aren't Sendable; the mutex guards the references, and the objects are used where Foundation allows
    // it: sources on any thread, the stream where its delegate is called.
    weak var stream: Stream?
    var waiting: Stream.Event = []
    var queue: DispatchQueue?
    var sources: [RunLoopSource] = []
    /// Whether a delivery has been submitted to the queue and hasn't run yet.
    var isQueued = false
    var hasEnded = false
  }

  private let state = Mutex(State())
  /// Whether an event that has waited still applies, such as bytes that haven't been read meanwhile.
  var isStillTrue: (Stream.Event) -> Bool = { _ in true }

  /// The order in which events are delivered that wait together.
  private static let order: [Stream.Event] = [.openCompleted, .hasBytesAvailable, .hasSpaceAvailable, .errorOccurred, .endEncountered]

  /// Where the waiting events are to be delivered.
  private enum Place {
    case nowhere
    case queue(DispatchQueue)
    case loops([RunLoopSource])
  }

  func tell(_ events: Stream.Event) {
    guard !events.isEmpty else { return }
    wake { $0.waiting.formUnion(events) }
  }

  /// Calls the delegate of `stream` on `loop` too. The run loop doesn't retain the stream.
  func schedule(_ stream: Stream, _ loop: RunLoop, _ mode: RunLoop.Mode) {
    let source = RunLoopSource(loop, mode) { [weak self] in self?.deliver(on: nil) }
    wake { state in
      state.stream = stream
      if !state.hasEnded { state.sources.append(source) }
    }
  }

  func remove(_ loop: RunLoop, _ mode: RunLoop.Mode) {
    let removed = state.withLock { state -> [RunLoopSource] in
      let removed = state.sources.filter { $0.isOn(loop, mode) }
      state.sources.removeAll { $0.isOn(loop, mode) }
      return removed
    }
    for source in removed { source.remove() }
  }

  /// Sets the queue on which the delegate of `stream` is called; nil for none.
  func setQueue(_ stream: Stream, _ queue: DispatchQueue?) {
    wake { state in
      state.stream = stream
      state.queue = queue
      state.isQueued = false
    }
  }

  var queue: DispatchQueue? { state.withLock { $0.queue } }

  /// Stops all deliveries, because the stream is being deallocated.
  func end() {
    let sources = state.withLock { state -> [RunLoopSource] in
      defer { state.sources = [] }
      state.hasEnded = true
      state.queue = nil
      return state.sources
    }
    for source in sources { source.remove() }
  }

  private func wake(_ change: (inout State) -> Void) {
    let place = state.withLock { state -> Place in
      change(&state)
      guard !state.waiting.isEmpty else { return .nowhere }
      guard let queue = state.queue else { return .loops(state.sources) }
      defer { state.isQueued = true }
      return state.isQueued ? .nowhere : .queue(queue)
    }
    switch place {
    case .nowhere: break
    case .queue(let queue): queue.async { [self] in deliver(on: queue) }
    case .loops(let sources): for source in sources { source.signal() }
    }
  }

  /// - Parameter queue: The queue that calls this function; nil on a run loop. If the stream has another queue by now, nothing is delivered.
  private func deliver(on queue: DispatchQueue?) {
    let (events, box) = state.withLock { state -> (Stream.Event, State) in
      guard state.queue === queue else { return ([], state) }
      defer { state.waiting = [] }
      state.isQueued = false
      return (state.waiting, state)
    }
    guard let stream = box.stream else { return }
    for event in StreamEventDelivery.order where events.contains(event) && isStillTrue(event) {
      stream.delegate?.stream(stream, handle: event)
    }
  }
}

/// A stream class of this library that calls its delegate for events.
protocol EventfulStream: Stream {
  /// The object that calls the delegate; nil for a stream that isn't connected to anything.
  var delivery: StreamEventDelivery? { get }
}
