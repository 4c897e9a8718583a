import Foundation

// Core Foundation's stream functions that code with streamed bodies uses. On Linux the stream types are Foundation's classes.

/// Core Foundation's type for input streams: `InputStream` on Linux.
public typealias CFReadStream = InputStream
/// Core Foundation's type for output streams: `OutputStream` on Linux.
public typealias CFWriteStream = OutputStream

/// Sets the dispatch queue on which the delegate of an output stream is called, instead of on a run loop.
///
/// - Parameters:
///   - stream: A stream of `Stream.getBoundStreams` or of a captured connection. For any other stream the call has no effect:
///     swift-corelibs-foundation's streams report no events.
///   - queue: A serial queue; nil removes the queue that was set.
public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream, _ queue: DispatchQueue?) {
  (stream as? any EventfulStream)?.setDispatchQueue(queue)
}

/// Sets the dispatch queue on which the delegate of an input stream is called, instead of on a run loop.
///
/// - Parameters:
///   - stream: A stream of `Stream.getBoundStreams` or of a captured connection. For any other stream the call has no effect:
///     swift-corelibs-foundation's streams report no events.
///   - queue: A serial queue; nil removes the queue that was set.
public func CFReadStreamSetDispatchQueue(_ stream: CFReadStream, _ queue: DispatchQueue?) {
  (stream as? any EventfulStream)?.setDispatchQueue(queue)
}

/// The queue that was set by `CFWriteStreamSetDispatchQueue`; nil if none.
public func CFWriteStreamCopyDispatchQueue(_ stream: CFWriteStream) -> DispatchQueue? { (stream as? any EventfulStream)?.delivery?.queue }

/// The queue that was set by `CFReadStreamSetDispatchQueue`; nil if none.
public func CFReadStreamCopyDispatchQueue(_ stream: CFReadStream) -> DispatchQueue? { (stream as? any EventfulStream)?.delivery?.queue }

extension EventfulStream {
  fileprivate func setDispatchQueue(_ queue: DispatchQueue?) { delivery?.setQueue(self, queue) }
}
