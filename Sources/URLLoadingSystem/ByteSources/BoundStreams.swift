import Foundation
import LoadingEngine

extension Stream {
  /// Makes a pair of streams: bytes written to the output stream can be read from the input stream.
  ///
  /// Reading blocks until there are bytes, writing until there is room. Bytes written before the output stream is closed can still be read
  /// afterwards. When the input stream is closed, the output stream is at its end, without an error; if it is written to nevertheless, `write`
  /// returns -1 and `streamError` is `POSIXError.EPIPE`. The input stream can be the body of a request.
  ///
  /// The delegates of both streams are told of events when the stream is scheduled in a run loop, which may be sleeping, or has a dispatch queue
  /// (`CFWriteStreamSetDispatchQueue`, `CFReadStreamSetDispatchQueue`).
  /// - Parameter bufferSize: The number of bytes that may be buffered; at least 1.
  public class func getBoundStreams(
    withBufferSize bufferSize: Int, inputStream: UnsafeMutablePointer<InputStream?>?, outputStream: UnsafeMutablePointer<OutputStream?>?
  ) {
    let channel = BoundChannel(capacity: max(1, bufferSize))
    inputStream?.pointee = BoundInputStream(channel)
    outputStream?.pointee = BoundOutputStream(channel)
  }
}

/// The input stream of a pair made by `Stream.getBoundStreams`.
final class BoundInputStream: InputStream, EventfulStream, WakingStream {
  private let channel: BoundChannel

  init(_ channel: BoundChannel) {
    self.channel = channel
    super.init(data: Data())
  }

  deinit {
    channel.closeForReading()
    channel.toReader.end()
  }

  var delivery: StreamEventDelivery? { channel.toReader }

  override func open() { channel.openForReading() }
  override func close() { channel.closeForReading() }
  override var streamStatus: Stream.Status { channel.readingStatus }
  override var hasBytesAvailable: Bool { channel.hasBytes }
  override var streamError: (any Error)? { channel.readingError }

  func whenReadable(_ act: @escaping @Sendable () -> Void) { channel.whenReadable(act) }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    channel.read(UnsafeMutableRawBufferPointer(start: buffer, count: max(0, len)))
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { channel.toReader.schedule(self, aRunLoop, mode) }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { channel.toReader.remove(aRunLoop, mode) }
}

/// The output stream of a pair made by `Stream.getBoundStreams`.
final class BoundOutputStream: OutputStream, EventfulStream {
  private let channel: BoundChannel

  init(_ channel: BoundChannel) {
    self.channel = channel
    super.init(toMemory: ())
  }

  required init(toMemory: ()) {
    channel = BoundChannel(capacity: 1)
    super.init(toMemory: ())
  }

  deinit {
    channel.closeForWriting()
    channel.toWriter.end()
  }

  var delivery: StreamEventDelivery? { channel.toWriter }

  override func open() { channel.openForWriting() }
  override func close() { channel.closeForWriting() }
  override var streamStatus: Stream.Status { channel.writingStatus }
  override var hasSpaceAvailable: Bool { channel.hasRoom }
  override var streamError: (any Error)? { channel.writingError }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
    channel.write(UnsafeRawBufferPointer(start: buffer, count: max(0, len)))
  }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { channel.toWriter.schedule(self, aRunLoop, mode) }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { channel.toWriter.remove(aRunLoop, mode) }
}
