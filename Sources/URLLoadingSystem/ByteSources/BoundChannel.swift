import Foundation

/// The bounded buffer between a pair of bound streams, their states, and the events for their delegates. Owned by both streams; thread-safe.
///
///     writing:  notOpen -> open -> closed        the reader gets the remaining bytes, then the end
///                             \--> atEnd         the reader has closed, which isn't an error of the writer's
///                                     \--> error the writer has written nevertheless: EPIPE
///     reading:  notOpen -> open -> closed
final class BoundChannel: @unchecked Sendable {
  // @unchecked: `toWriter` and `toReader` are thread-safe, `capacity` is immutable, everything else is used with the condition's lock held.
  private let condition = NSCondition()
  private let capacity: Int
  /// The first `taken` bytes have been read. They stay until they are the larger part, so that a small read doesn't move the rest.
  private var bytes = Data()
  private var taken = 0
  private var writing = Stream.Status.notOpen
  private var reading = Stream.Status.notOpen
  private var writeError: POSIXError?
  private var readError: POSIXError?
  /// Whether a read has returned 0, the end.
  private var isEndRead = false
  /// Called, and removed, when a read would return without waiting.
  private var readWaiters: [@Sendable () -> Void] = []

  let toWriter = StreamEventDelivery()
  let toReader = StreamEventDelivery()

  init(capacity: Int) {
    self.capacity = capacity
    toWriter.isStillTrue = { [weak self] in self?.isTrueForWriter($0) ?? false }
    toReader.isStillTrue = { [weak self] in self?.isTrueForReader($0) ?? false }
  }

  private func locked<T>(_ work: () -> T) -> T {
    condition.lock()
    defer { condition.unlock() }
    return work()
  }

  var writingStatus: Stream.Status { locked { writing } }
  var writingError: (any Error)? { locked { writeError } }
  var readingStatus: Stream.Status { locked { reading == .open && hasEnded ? .atEnd : reading } }
  var readingError: (any Error)? { locked { readError } }
  /// Whether a write would return at once, with or without an error.
  var hasRoom: Bool { locked { writing == .open ? buffered < capacity : writing == .atEnd || writing == .error } }
  /// Whether a read would return at once, with bytes or with the end for the first time.
  var hasBytes: Bool { locked { reading == .open && (!isEmpty || hasEnded && !isEndRead) } }

  private var hasEnded: Bool { isEmpty && writing == .closed }
  private var buffered: Int { bytes.count - taken }
  private var isEmpty: Bool { buffered == 0 }

  private func isTrueForWriter(_ event: Stream.Event) -> Bool {
    locked {
      switch event {
      case .hasSpaceAvailable: writing == .open && buffered < capacity
      case .endEncountered: writing == .atEnd
      case .errorOccurred: writing == .error
      default: writing != .closed
      }
    }
  }

  private func isTrueForReader(_ event: Stream.Event) -> Bool {
    locked { reading == .open && (event != .hasBytesAvailable || !isEmpty || hasEnded && !isEndRead) }
  }

  // MARK: The writer's side

  func openForWriting() {
    let events = locked { () -> Stream.Event in
      guard writing == .notOpen else { return [] }
      guard reading != .closed else { return [.openCompleted, endWriting()] }
      writing = .open
      return [.openCompleted, .hasSpaceAvailable]
    }
    toWriter.tell(events)
  }

  func closeForWriting() {
    let (isEnd, waiters) = locked {
      writing = .closed
      condition.broadcast()
      return (hasEnded, takeReadWaiters())
    }
    for act in waiters { act() }
    // Both events, because a reader may only read when there are bytes, and so must read the end as well.
    if isEnd { toReader.tell([.hasBytesAvailable, .endEncountered]) }
  }

  /// Blocks until there is room, and buffers bytes; returns their number, or -1 if the reader has closed or the stream isn't open.
  func write(_ source: UnsafeRawBufferPointer) -> Int {
    let (count, hasRoom, waiters) = locked { () -> (Int, Bool, [@Sendable () -> Void]) in
      while writing == .open, !source.isEmpty, buffered >= capacity { condition.wait() }
      guard writing == .open else {
        writeError = writeError ?? POSIXError(writing == .atEnd ? .EPIPE : .EBADF)
        if writing == .atEnd { writing = .error }
        return (-1, false, [])
      }
      let count = min(source.count, capacity - buffered)
      bytes.append(contentsOf: source.prefix(count))
      condition.broadcast()
      return (count, buffered < capacity, count > 0 ? takeReadWaiters() : [])
    }
    guard count > 0 else { return count }
    for act in waiters { act() }
    toReader.tell(.hasBytesAvailable)
    if hasRoom { toWriter.tell(.hasSpaceAvailable) }
    return count
  }

  // MARK: The reader's side

  func openForReading() {
    let events = locked { () -> Stream.Event in
      guard reading == .notOpen else { return [] }
      reading = .open
      return hasEnded ? [.openCompleted, .hasBytesAvailable, .endEncountered] : [.openCompleted, .hasBytesAvailable]
    }
    toReader.tell(events)
  }

  func closeForReading() {
    let (events, waiters) = locked { () -> (Stream.Event, [@Sendable () -> Void]) in
      reading = .closed
      (bytes, taken) = (Data(), 0)
      defer { condition.broadcast() }
      return (writing == .open ? endWriting() : [], takeReadWaiters())
    }
    for act in waiters { act() }
    toWriter.tell(events)
  }

  /// Calls `act` once, on any thread, as soon as a read would return without waiting.
  func whenReadable(_ act: @escaping @Sendable () -> Void) {
    let isReadable = locked {
      if reading != .open || !isEmpty || writing == .closed { return true }
      readWaiters.append(act)
      return false
    }
    if isReadable { act() }
  }

  private func takeReadWaiters() -> [@Sendable () -> Void] {
    defer { readWaiters = [] }
    return readWaiters
  }

  /// Marks the output as being at its end because the reader has closed; returns the event for the writer.
  private func endWriting() -> Stream.Event {
    writing = .atEnd
    return .endEncountered
  }

  /// Blocks until there are bytes; returns their number, 0 at the end and -1 if the stream isn't open.
  func read(_ target: UnsafeMutableRawBufferPointer) -> Int {
    let (count, wasFull, event) = locked { () -> (Int, Bool, Stream.Event) in
      while reading == .open, isEmpty, writing != .closed, !target.isEmpty { condition.wait() }
      guard reading == .open else {
        readError = readError ?? POSIXError(.EBADF)
        return (-1, false, [])
      }
      let (count, wasFull) = (min(target.count, buffered), buffered >= capacity)
      take(count, target)
      if count == 0, hasEnded { isEndRead = true }
      condition.broadcast()
      return (
        count, wasFull && count > 0,
        isEmpty ? (hasEnded && count > 0 ? [.hasBytesAvailable, .endEncountered] : []) : .hasBytesAvailable
      )
    }
    if wasFull { toWriter.tell(.hasSpaceAvailable) }
    toReader.tell(event)
    return count
  }

  private func take(_ count: Int, _ target: UnsafeMutableRawBufferPointer) {
    target.copyBytes(from: bytes[taken..<taken + count])
    taken += count
    if isEmpty {
      (bytes, taken) = (Data(), 0)
    } else if taken > bytes.count / 2 {
      bytes.removeSubrange(..<taken)
      taken = 0
    }
  }
}
