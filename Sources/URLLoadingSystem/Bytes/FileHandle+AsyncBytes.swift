public import Foundation

extension FileHandle {
  /// The bytes from the handle's position on, as they arrive, until the end of the file.
  public var bytes: AsyncBytes { AsyncBytes(handle: self) }

  /// The bytes of a file handle: of a file, a pipe, a socket or a terminal.
  ///
  /// Iterations share the handle and its position: a second one goes on where the first has stopped, after what that had read ahead.
  public struct AsyncBytes: AsyncSequence, Sendable {
    /// A byte.
    public typealias Element = UInt8
    /// A `CocoaError`, or `CancellationError`.
    public typealias Failure = any Error

    /// The iterator's type: a session's bytes are read in the same way.
    public typealias AsyncIterator = URLSession.AsyncBytes.Iterator

    let handle: FileHandle

    /// Makes an iterator that reads from the handle.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(DescriptorChunks(handle)) }
  }
}
