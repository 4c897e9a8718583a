import Foundation

// Functions of Core Foundation's streams that code with streamed bodies uses. On Linux the classes of Foundation take the place of its
// types.

/// An input stream: `InputStream`.
public typealias CFReadStream = InputStream
/// An output stream: `OutputStream`.
public typealias CFWriteStream = OutputStream

/// Has the delegate of an output stream called on a dispatch queue, instead of a run loop.
///
/// - Parameters:
///   - stream: A stream of `Stream.getBoundStreams` or of a captured connection. With any other the call has no effect: the toolchain's
///     streams report no events.
///   - queue: A serial queue, or nil for none any more.
public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream, _ queue: DispatchQueue?) {
  (stream as? any EventfulStream)?.setDispatchQueue(queue)
}

/// Has the delegate of an input stream called on a dispatch queue, instead of a run loop.
///
/// - Parameters:
///   - stream: A stream of `Stream.getBoundStreams` or of a captured connection. With any other the call has no effect: the toolchain's
///     streams report no events.
///   - queue: A serial queue, or nil for none any more.
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
