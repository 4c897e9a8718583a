import LoadingModel
import NIOCore

/// What a stream of bytes runs over: a connection, or a body that can only be read. Used on the event loop.
package protocol StreamSource: AnyObject {
  /// Tells `receiver` from now on, beginning with what has come already; nil to stop.
  func attach(_ receiver: (any StreamReceiver)?)
  /// There is room for bytes.
  func demand()
  /// Whether `write` would reach the socket rather than pile up.
  var isWritable: Bool { get }
  /// - Parameter written: Succeeds when the system has taken the bytes.
  func write(_ bytes: ByteBuffer, _ written: EventLoopPromise<Void>)
  func flush()
  /// Nothing more will be written. Everything before must have been.
  func closeOutput(_ closed: EventLoopPromise<Void>)
  func close()
}

/// Receives the bytes and the events of a stream. Called on the event loop.
package protocol StreamReceiver: AnyObject {
  /// Whether there is room for bytes.
  var wantsBytes: Bool { get }
  func received(_ bytes: ByteBuffer)
  /// The peer has closed its side. `error` says that it wasn't done in order: something may be missing.
  func inputEnded(_ error: LoadError?)
  func becameWritable()
  /// The connection has failed.
  func failed(_ error: LoadError)
}
