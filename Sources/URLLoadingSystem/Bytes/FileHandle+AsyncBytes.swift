public import Foundation

extension FileHandle {
  /// The bytes of the file from the handle's current position to the end, as they arrive.
  public var bytes: AsyncBytes { AsyncBytes(handle: self) }

  /// The bytes of a file handle, which may be a file, a pipe, a socket or a terminal.
  ///
  /// All iterators share the handle and its position: a second one begins behind the bytes that the first has read, its read-ahead included.
  public struct AsyncBytes: AsyncSequence, Sendable {
    /// A byte.
    public typealias Element = UInt8
    /// A `CocoaError`, or `CancellationError`.
    public typealias Failure = any Error

    /// The iterator's type, which is also that of `URLSession.AsyncBytes`.
    public typealias AsyncIterator = URLSession.AsyncBytes.Iterator

    let handle: FileHandle

    /// Makes an iterator that reads from the handle.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(DescriptorChunks(handle)) }
  }
}
