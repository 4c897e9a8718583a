import Foundation
import LoadingModel

extension Stream {
  /// Makes a pair of streams: what is written to the output stream can be read from the input stream.
  ///
  /// Reading waits for bytes and writing for room; bytes written before the output stream is closed can still be read afterwards. The input
  /// stream can be the body of a request. A delegate of the output stream is told of room if the stream has been scheduled in a run loop.
  /// - Parameter bufferSize: Bytes that may be on the way; at least 1.
  public class func getBoundStreams(
    withBufferSize bufferSize: Int, inputStream: UnsafeMutablePointer<InputStream?>?, outputStream: UnsafeMutablePointer<OutputStream?>?
  ) {
    let channel = BoundChannel(capacity: max(1, bufferSize))
    inputStream?.pointee = BoundInputStream(channel)
    outputStream?.pointee = BoundOutputStream(channel)
  }
}

/// Bytes on their way between two threads, bounded.
final class BoundChannel: @unchecked Sendable {
  // @unchecked: everything is touched with the condition's lock held.
  private let condition = NSCondition()
  private let capacity: Int
  private var bytes = Data()
  private var writing = Stream.Status.notOpen
  private var reading = Stream.Status.notOpen
  private var listener: (@Sendable (Stream.Event) -> Void)?

  init(capacity: Int) { self.capacity = capacity }

  private func locked<T>(_ work: () -> T) -> T {
    condition.lock()
    defer { condition.unlock() }
    return work()
  }

  var writingStatus: Stream.Status { locked { writing } }
  var readingStatus: Stream.Status { locked { reading == .open && bytes.isEmpty && writing == .closed ? .atEnd : reading } }
  var hasRoom: Bool { locked { writing == .open && bytes.count < capacity } }
  var hasBytes: Bool { locked { !bytes.isEmpty || writing == .closed } }

  func openForWriting() {
    tell(
      locked { () -> [Stream.Event] in
        guard writing == .notOpen else { return [] }
        writing = .open
        return [.openCompleted, .hasSpaceAvailable]
      })
  }

  func openForReading() { locked { if reading == .notOpen { reading = .open } } }

  func closeForWriting() { locked { end(&writing) } }

  func closeForReading() { locked { end(&reading) } }

  private func end(_ side: inout Stream.Status) {
    side = .closed
    condition.broadcast()
  }

  /// Whom to tell when there is room; nil for nobody.
  func listen(_ listener: (@Sendable (Stream.Event) -> Void)?) {
    locked { self.listener = listener }
    if hasRoom { tell([.hasSpaceAvailable]) }
  }

  private func tell(_ events: [Stream.Event]) {
    guard !events.isEmpty, let listener = locked({ listener }) else { return }
    for event in events { listener(event) }
  }

  /// Waits for room; -1 once nobody reads any more.
  func write(_ source: UnsafeRawBufferPointer) -> Int {
    let (count, hasRoom) = locked { () -> (Int, Bool) in
      while writing == .open, reading != .closed, bytes.count >= capacity { condition.wait() }
      guard writing == .open, reading != .closed else { return (-1, false) }
      let count = min(source.count, capacity - bytes.count)
      bytes.append(contentsOf: source.prefix(count))
      condition.broadcast()
      return (count, bytes.count < capacity)
    }
    if count > 0, hasRoom { tell([.hasSpaceAvailable]) }
    return count
  }

  /// Waits for bytes; 0 at the end.
  func read(_ target: UnsafeMutableRawBufferPointer) -> Int {
    let (count, wasFull) = locked { () -> (Int, Bool) in
      while reading == .open, bytes.isEmpty, writing != .closed { condition.wait() }
      guard reading == .open else { return (-1, false) }
      let (count, wasFull) = (min(target.count, bytes.count), bytes.count >= capacity)
      target.copyBytes(from: bytes.prefix(count))
      bytes = count == bytes.count ? Data() : Data(bytes.dropFirst(count))
      condition.broadcast()
      return (count, wasFull && count > 0)
    }
    if wasFull { tell([.hasSpaceAvailable]) }
    return count
  }
}

/// The reading end of a pair.
final class BoundInputStream: InputStream {
  private let channel: BoundChannel

  init(_ channel: BoundChannel) {
    self.channel = channel
    super.init(data: Data())
  }

  deinit { channel.closeForReading() }

  override func open() { channel.openForReading() }
  override func close() { channel.closeForReading() }
  override var streamStatus: Stream.Status { channel.readingStatus }
  override var hasBytesAvailable: Bool { channel.hasBytes }
  override var streamError: (any Error)? { nil }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    channel.read(UnsafeMutableRawBufferPointer(start: buffer, count: max(0, len)))
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }
}

/// The writing end of a pair.
final class BoundOutputStream: OutputStream {
  private let channel: BoundChannel

  init(_ channel: BoundChannel) {
    self.channel = channel
    super.init(toMemory: ())
  }

  required init(toMemory: ()) {
    channel = BoundChannel(capacity: 1)
    super.init(toMemory: ())
  }

  deinit { channel.closeForWriting() }

  override func open() { channel.openForWriting() }
  override func close() { channel.closeForWriting() }
  override var streamStatus: Stream.Status { channel.writingStatus }
  override var hasSpaceAvailable: Bool { channel.hasRoom }
  override var streamError: (any Error)? { nil }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
    channel.write(UnsafeRawBufferPointer(start: buffer, count: max(0, len)))
  }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    // Events come from the reading thread; the delegate is called on the run loop's.
    let listener = ScheduledStream(stream: self, loop: aRunLoop, mode: mode)
    channel.listen { listener.tell($0) }
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { channel.listen(nil) }
}

/// A stream whose delegate is called on a run loop.
final class ScheduledStream: @unchecked Sendable {
  // @unchecked: the stream is touched on its run loop alone, and `perform` is the function of a run loop that any thread may call.
  private weak var stream: Stream?
  private let loop: RunLoop
  private let mode: RunLoop.Mode

  init(stream: Stream, loop: RunLoop, mode: RunLoop.Mode) {
    self.stream = stream
    self.loop = loop
    self.mode = mode
  }

  func tell(_ event: Stream.Event) {
    loop.perform(inModes: [mode]) { [self] in
      guard let stream else { return }
      stream.delegate?.stream(stream, handle: event)
    }
  }
}
