public import Foundation

extension URL {
  /// The bytes of the resource behind this URL: a file directly, anything else through `URLSession.shared`.
  public var resourceBytes: AsyncBytes { AsyncBytes(url: self) }

  /// The lines of the UTF-8 text behind this URL, without empty lines; see ``AsyncLineSequence``.
  public var lines: AsyncLineSequence<AsyncBytes> { resourceBytes.lines }

  /// The bytes of a resource, loaded while they are read.
  ///
  /// Every iteration loads the resource anew, beginning with the first byte asked for. An HTTP status of 400 and above isn't an
  /// error: its body is delivered.
  public struct AsyncBytes: AsyncSequence, Sendable {
    /// A byte.
    public typealias Element = UInt8
    /// A `CocoaError` for files, a `URLError` for everything else, or `CancellationError`.
    public typealias Failure = any Error

    /// The iterator's type: a session's bytes are read in the same way.
    public typealias AsyncIterator = URLSession.AsyncBytes.Iterator

    let url: URL

    /// Makes an iterator that loads the resource.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(ResourceChunks(url)) }
  }
}
