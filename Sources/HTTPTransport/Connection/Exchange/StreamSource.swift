import LoadingModel
import NIOCore

/// What a stream task reads from and writes to: a connection, or a response's body that can only be read. Used on the event loop.
package protocol StreamSource: AnyObject {
  /// Sends all bytes and events to `receiver` from now on, including the bytes that have been received before; nil stops that.
  func attach(_ receiver: (any StreamReceiver)?)
  /// The receiver has room for bytes again: the source reads on.
  func demand()
  /// Whether bytes given to `write` would go to the socket at once, instead of being buffered here.
  var isWritable: Bool { get }
  /// - Parameter written: Succeeds when the system has taken the bytes.
  func write(_ bytes: ByteBuffer, _ written: EventLoopPromise<Void>)
  func flush()
  /// Half-closes the connection: nothing is written any more. All writes before must have completed.
  func closeOutput(_ closed: EventLoopPromise<Void>)
  func close()
}

/// Receives the bytes and the events of a stream. Called on the event loop.
package protocol StreamReceiver: AnyObject {
  /// Whether the receiver has room for bytes, so that the source should read on.
  var wantsBytes: Bool { get }
  func received(_ bytes: ByteBuffer)
  /// The peer has closed its side. `error` is set if it wasn't closed regularly, so that bytes may be missing.
  func inputEnded(_ error: LoadError?)
  func becameWritable()
  /// The connection has failed.
  func failed(_ error: LoadError)
}
