import Foundation
import LoadingEngine

/// The reading side of a captured connection.
final class CapturedInputStream: InputStream, EventfulStream, WakingStream {
  private let connection: CapturedConnection
  private let ownDelivery = StreamEventDelivery()

  init(_ connection: CapturedConnection) {
    self.connection = connection
    super.init(data: Data())
    ownDelivery.isStillTrue = { [weak connection] in connection?.appliesToInput($0) ?? false }
    connection.listenToInput { [ownDelivery] in ownDelivery.tell($0) }
  }

  deinit {
    connection.closeInput()
    ownDelivery.end()
  }

  var delivery: StreamEventDelivery? { ownDelivery }

  override func open() { connection.openInput() }
  override func close() { connection.closeInput() }
  override var streamStatus: Stream.Status { connection.inputStatus }
  override var streamError: (any Error)? { connection.inputError }
  override var hasBytesAvailable: Bool { connection.hasBytes }

  /// Calls `act` at once: a read waits on its thread.
  func whenReadable(_ act: @escaping @Sendable () -> Void) { act() }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    connection.read(UnsafeMutableRawBufferPointer(start: buffer, count: max(0, len)))
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { ownDelivery.schedule(self, aRunLoop, mode) }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { ownDelivery.remove(aRunLoop, mode) }
}

/// The writing side of a captured connection.
final class CapturedOutputStream: OutputStream, EventfulStream {
  private let connection: CapturedConnection?
  private let ownDelivery = StreamEventDelivery()

  init(_ connection: CapturedConnection) {
    self.connection = connection
    super.init(toMemory: ())
    ownDelivery.isStillTrue = { [weak connection] in connection?.appliesToOutput($0) ?? false }
    connection.listenToOutput { [ownDelivery] in ownDelivery.tell($0) }
  }

  required init(toMemory: ()) {
    connection = nil
    super.init(toMemory: ())
  }

  deinit {
    connection?.closeOutput()
    ownDelivery.end()
  }

  var delivery: StreamEventDelivery? { ownDelivery }

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

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { ownDelivery.schedule(self, aRunLoop, mode) }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { ownDelivery.remove(aRunLoop, mode) }
}
