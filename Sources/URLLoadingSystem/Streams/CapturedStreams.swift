import Foundation

/// What comes over a captured connection.
final class CapturedInputStream: InputStream {
  private let connection: CapturedConnection

  init(_ connection: CapturedConnection) {
    self.connection = connection
    super.init(data: Data())
  }

  deinit { connection.closeInput() }

  override func open() { connection.openInput() }
  override func close() { connection.closeInput() }
  override var streamStatus: Stream.Status { connection.inputStatus }
  override var streamError: (any Error)? { connection.inputError }
  override var hasBytesAvailable: Bool { connection.hasBytes }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    connection.read(UnsafeMutableRawBufferPointer(start: buffer, count: max(0, len)))
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    let listener = ScheduledStream(stream: self, loop: aRunLoop, mode: mode)
    connection.listenToInput { listener.tell($0) }
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { connection.listenToInput(nil) }
}

/// What is said over a captured connection.
final class CapturedOutputStream: OutputStream {
  private let connection: CapturedConnection?

  init(_ connection: CapturedConnection) {
    self.connection = connection
    super.init(toMemory: ())
  }

  required init(toMemory: ()) {
    connection = nil
    super.init(toMemory: ())
  }

  deinit { connection?.closeOutput() }

  override func open() { connection?.openOutput() }
  override func close() { connection?.closeOutput() }
  override var streamStatus: Stream.Status { connection?.outputStatus ?? .closed }
  override var streamError: (any Error)? { connection?.outputError }
  override var hasSpaceAvailable: Bool { connection?.hasRoom ?? false }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
    connection?.write(UnsafeRawBufferPointer(start: buffer, count: max(0, len))) ?? -1
  }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    let listener = ScheduledStream(stream: self, loop: aRunLoop, mode: mode)
    connection?.listenToOutput { listener.tell($0) }
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { connection?.listenToOutput(nil) }
}
