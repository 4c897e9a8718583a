import Foundation
import HTTPTransport
import LoadingModel
import NIOCore

/// A stream task's connection after the app has captured its streams: the event loop uses it on one side, a pair of Foundation's streams, whose calls
/// may block, on the other.
///
/// The streams own it; the connection reports to it as long as it lives. It buffers at most 256 KiB in each direction.
final class CapturedConnection: @unchecked Sendable {
  // @unchecked: `state` is used with the condition's lock held, `source` on the event loop of `executor` alone; the rest is immutable.

  private let executor: LoopExecutor
  private let source: any StreamSource
  private let condition = NSCondition()
  private var state: CapturedState

  init(_ capture: StreamCapture) {
    executor = capture.executor
    source = capture.source
    state = CapturedState(unread: capture.unread)
    switch capture.inputEnd {
    case .success?: state.inputEnd = .clean
    case .failure(let error)?: state.inputEnd = .failed(error.urlError(failingURL: nil))
    case nil: break
    }
    if !capture.isWritable { state.outputEnd = .failed(POSIXError(.EPIPE)) }
    source.attach(self)
  }

  private func locked<T>(_ work: (inout CapturedState) -> T) -> T {
    condition.lock()
    defer { condition.unlock() }
    return work(&state)
  }

  private func onLoop(_ action: @escaping @Sendable (any StreamSource) -> Void) {
    executor.submit { [self] in action(source) }
  }

  // MARK: The input stream

  var inputStatus: Stream.Status { locked { $0.inputStatus } }

  var inputError: (any Error)? {
    locked { state in if case .failed(let error)? = state.inputEnd, state.unread.readableBytes == 0 { error } else { nil } }
  }

  /// Whether `read` would return at once.
  var hasBytes: Bool { locked { $0.input == .open && ($0.unread.readableBytes > 0 || $0.inputEnd != nil) } }

  /// Whether an event that has waited still applies to the input stream: none does once that is closed.
  func appliesToInput(_ event: Stream.Event) -> Bool { event == .hasBytesAvailable ? hasBytes : locked { $0.input == .open } }

  func openInput() {
    let events = locked { state -> [Stream.Event] in
      guard state.input == .notOpen else { return [] }
      state.input = .open
      return [.openCompleted] + state.inputEvents
    }
    tellInput(events)
  }

  /// Blocks until there are bytes, and copies them to `target`; returns their number, 0 at the end and -1 for an error.
  func read(_ target: UnsafeMutableRawBufferPointer) -> Int {
    let (count, wasFull, events) = locked { state -> (Int, Bool, [Stream.Event]) in
      while state.input == .open, state.unread.readableBytes == 0, state.inputEnd == nil { condition.wait() }
      guard state.input == .open else { return (-1, false, []) }
      let wasFull = state.unread.readableBytes >= CapturedState.limit
      let count = min(target.count, state.unread.readableBytes)
      guard count > 0 || target.isEmpty else {
        if case .failed? = state.inputEnd { return (-1, false, []) }
        return (0, false, [])
      }
      _ = state.unread.readWithUnsafeReadableBytes { bytes in
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        return count
      }
      if state.unread.readableBytes == 0 { state.unread = ByteBuffer() }
      return (count, wasFull && state.unread.readableBytes < CapturedState.limit, state.inputEvents)
    }
    if wasFull { onLoop { $0.demand() } }
    tellInput(events)
    return count
  }

  func closeInput() {
    let isOver = locked { state in
      state.input = .closed
      state.unread = ByteBuffer()
      condition.broadcast()
      return state.output == .closed && state.onTheWay == 0
    }
    // While the output is open, the connection reads on and drops what arrives, so that the peer's end of the input is noticed.
    onLoop { isOver ? $0.close() : $0.demand() }
  }

  func listenToInput(_ listener: (@Sendable (Stream.Event) -> Void)?) {
    tellInput(
      locked { state in
        state.inputListener = listener
        return state.input == .open ? state.inputEvents : []
      })
  }

  private func tellInput(_ events: [Stream.Event]) {
    guard !events.isEmpty, let listener = locked({ $0.inputListener }) else { return }
    for event in events { listener(event) }
  }

  // MARK: The output stream

  var outputStatus: Stream.Status { locked { $0.outputStatus } }

  var outputError: (any Error)? { locked { if case .failed(let error)? = $0.outputEnd { error } else { nil } } }

  var hasRoom: Bool { locked { $0.output == .open && $0.outputEnd == nil && $0.onTheWay < CapturedState.limit } }

  /// Whether an event that has waited still applies to the output stream: none does once that is closed.
  func appliesToOutput(_ event: Stream.Event) -> Bool { event == .hasSpaceAvailable ? hasRoom : locked { $0.output == .open } }

  func openOutput() {
    tellOutput(
      locked { state in
        guard state.output == .notOpen else { return [] }
        state.output = .open
        return [.openCompleted] + state.outputEvents
      })
  }

  /// Blocks until there is room, and queues bytes to be sent; returns their number, or -1 for an error.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    let (count, events) = locked { state -> (Int, [Stream.Event]) in
      while state.output == .open, state.outputEnd == nil, state.onTheWay >= CapturedState.limit { condition.wait() }
      guard state.output == .open, state.outputEnd == nil else { return (-1, []) }
      let count = min(bytes.count, CapturedState.limit - state.onTheWay)
      state.onTheWay += count
      return (count, state.outputEvents)
    }
    guard count > 0 else { return count }
    let piece = ByteBuffer(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    executor.submit { [self] in
      let written = executor.eventLoop.makePromise(of: Void.self)
      written.futureResult.whenComplete { [self] in taken(count, $0) }
      source.write(piece, written)
      source.flush()
    }
    // Told after each write that leaves room, for delegates that write once for each `hasSpaceAvailable`.
    tellOutput(events)
    return count
  }

  private func taken(_ count: Int, _ result: Result<Void, any Error>) {
    let (events, isDone) = locked { state -> ([Stream.Event], Bool) in
      let wasFull = state.onTheWay >= CapturedState.limit
      state.onTheWay -= count
      condition.broadcast()
      let isDone = state.output == .closed && state.onTheWay == 0
      if case .failure(let error) = result, state.outputEnd == nil {
        state.outputEnd = .failed(error)
        return ([.errorOccurred], isDone)
      }
      return (wasFull ? state.outputEvents : [], isDone)
    }
    tellOutput(events)
    if isDone { endOutput() }
  }

  /// Closes the writing side. The peer sees the end of the data once every byte that was written has been sent.
  func closeOutput() {
    let isDone = locked { state -> Bool in
      guard state.output != .closed else { return false }
      state.output = .closed
      condition.broadcast()
      return state.onTheWay == 0
    }
    if isDone { onLoop { [self] _ in endOutput() } }
  }

  /// Ends the sending side, or closes the connection if the input is closed as well. Called on the event loop.
  private func endOutput() {
    guard locked({ $0.input != .closed }) else { return source.close() }
    source.closeOutput(executor.eventLoop.makePromise(of: Void.self))
  }

  func listenToOutput(_ listener: (@Sendable (Stream.Event) -> Void)?) {
    tellOutput(
      locked { state in
        state.outputListener = listener
        return state.output == .open ? state.outputEvents : []
      })
  }

  private func tellOutput(_ events: [Stream.Event]) {
    guard !events.isEmpty, let listener = locked({ $0.outputListener }) else { return }
    for event in events { listener(event) }
  }
}

extension CapturedConnection: StreamReceiver {
  var wantsBytes: Bool { locked { $0.inputEnd == nil && ($0.input == .closed || $0.unread.readableBytes < CapturedState.limit) } }

  func received(_ bytes: ByteBuffer) {
    let events = locked { state -> [Stream.Event] in
      guard state.input != .closed else { return [] }
      let wasEmpty = state.unread.readableBytes == 0
      if wasEmpty { state.unread = bytes } else { state.unread.keep(bytes) }
      condition.broadcast()
      return wasEmpty && state.input == .open ? [.hasBytesAvailable] : []
    }
    tellInput(events)
  }

  func inputEnded(_ error: LoadError?) { endInput(error.map { .failed($0.urlError(failingURL: nil)) } ?? .clean) }

  func becameWritable() {}

  func failed(_ error: LoadError) {
    let failure = error.urlError(failingURL: nil)
    endInput(.failed(failure))
    let events = locked { state -> [Stream.Event] in
      guard state.outputEnd == nil else { return [] }
      state.outputEnd = .failed(failure)
      condition.broadcast()
      return state.output == .open ? [.errorOccurred] : []
    }
    tellOutput(events)
  }

  private func endInput(_ end: CapturedState.End) {
    let events = locked { state -> [Stream.Event] in
      guard state.inputEnd == nil else { return [] }
      state.inputEnd = end
      condition.broadcast()
      return state.input == .open && state.unread.readableBytes == 0 ? state.inputEvents : []
    }
    tellInput(events)
  }
}
