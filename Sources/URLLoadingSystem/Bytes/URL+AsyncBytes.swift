public import Foundation

extension URL {
  /// The bytes of the resource at this URL: a file is read directly, anything else is loaded by `URLSession.shared`.
  public var resourceBytes: AsyncBytes { AsyncBytes(url: self) }

  /// The lines of the UTF-8 text at this URL, without empty lines; see ``AsyncLineSequence``.
  public var lines: AsyncLineSequence<AsyncBytes> { resourceBytes.lines }

  /// The bytes of a resource, loaded while they are read.
  ///
  /// Each iterator loads the resource anew, beginning when the first byte is asked for. An HTTP status of 400 and above isn't an error: the
  /// response's body is delivered.
  public struct AsyncBytes: AsyncSequence, Sendable {
    /// A byte.
    public typealias Element = UInt8
    /// A `CocoaError` for files, a `URLError` for everything else, or `CancellationError`.
    public typealias Failure = any Error

    /// The iterator's type, which is also that of `URLSession.AsyncBytes`.
    public typealias AsyncIterator = URLSession.AsyncBytes.Iterator

    let url: URL

    /// Makes an iterator that loads the resource.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(ResourceChunks(url)) }
  }
}
