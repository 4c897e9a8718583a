public import Foundation
import LoadingModel
import Synchronization

extension URLSession {
  /// The body of a response in pieces, as they arrive. An addition to Apple's API, where `AsyncBytes` has single bytes.
  ///
  /// A piece has what had arrived when it was asked for, some hundred KiB at most, and is never empty. What isn't read isn't loaded. All
  /// iterators share one load: each piece is delivered once. When the last iterator is released, such as by leaving the loop, the load is
  /// cancelled, whether the sequence is still there or not; so it is when a sequence without iterators is released. Where the pieces are those
  /// of an `AsyncBytes`, the load is cancelled when that and all iterators are released.
  public struct AsyncChunks: AsyncSequence, Sendable {
    /// Bytes that came together.
    public typealias Element = Data
    /// `URLError`, or what an app's own protocol class reported.
    public typealias Failure = any Error

    /// The task behind the load: to cancel it, or to read its progress.
    public let task: URLSessionDataTask
    private let source: any ByteChunkSource<any Error>
    /// nil where the load may have other readers than these iterators.
    private let iterators: ChunkIterators?

    /// - Parameter cancel: Called when the last iterator is released before the body's end; nil if that says nothing.
    init(task: URLSessionDataTask, source: any ByteChunkSource<any Error>, cancel: (@Sendable () -> Void)?) {
      self.task = task
      self.source = source
      iterators = cancel.map(ChunkIterators.init)
    }

    /// Makes an iterator over the unread pieces.
    public func makeAsyncIterator() -> Iterator { Iterator(source, iterators.map(ChunkIteratorPresence.init)) }

    /// Produces the pieces; owned by the task that iterates. Copies share the load.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      private let source: any ByteChunkSource<any Error>
      private let presence: ChunkIteratorPresence?

      fileprivate init(_ source: any ByteChunkSource<any Error>, _ presence: ChunkIteratorPresence?) {
        (self.source, self.presence) = (source, presence)
      }

      /// The next piece; nil at the end.
      /// - Throws: `URLError`.
      public mutating func next() async throws -> Data? { try await source.nextChunk(isolation: nil) }

      /// The next piece, awaited on the caller's actor; nil at the end.
      /// - Throws: `URLError`.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
        try await source.nextChunk(isolation: actor)
      }
    }

    /// All unread pieces as one.
    /// - Parameter limit: Bytes at most.
    /// - Throws: `URLError.dataLengthExceedsMaximum` as soon as there are more: the load is cancelled then. Otherwise `URLError`.
    public func collect(upTo limit: Int) async throws -> Data {
      let announced = task.countOfBytesExpectedToReceive - task.countOfBytesReceived
      guard announced <= Int64(limit) else { throw tooLong(limit) }
      var whole = Data()
      for try await piece in self {
        guard piece.count <= limit - whole.count else { throw tooLong(limit) }
        whole.append(piece)
      }
      return whole
    }

    private func tooLong(_ limit: Int) -> any Error {
      task.cancel()
      let error = LoadError(.dataLengthExceedsMaximum, .body, "the body is longer than the \(limit) bytes that may be collected")
      return error.urlError(failingURL: task.originalRequest?.url)
    }
  }

  /// Loads `request` and returns its body in pieces, as soon as the response is there. An addition to Apple's API.
  ///
  ///     let (chunks, response) = try await session.chunks(for: request)
  ///     for try await chunk in chunks { try file.write(contentsOf: chunk) }
  ///
  /// - Parameter delegate: Asked and told before the session's delegate about progress, challenges, redirects and metrics.
  /// - Throws: `URLError`. Cancelling the Swift task cancels the load.
  public func chunks(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (AsyncChunks, URLResponse) {
    let (bytes, response) = try await bytes(for: request, delegate: delegate)
    return (bytes.onlyChunks, response)
  }

  /// Loads `url` with GET and returns its body in pieces, as soon as the response is there. An addition to Apple's API.
  /// - Parameter delegate: Asked and told before the session's delegate about progress, challenges, redirects and metrics.
  /// - Throws: `URLError`. Cancelling the Swift task cancels the load.
  public func chunks(
    from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (AsyncChunks, URLResponse) {
    let (bytes, response) = try await bytes(from: url, delegate: delegate)
    return (bytes.onlyChunks, response)
  }
}

extension URLSession.AsyncBytes {
  /// The same body in pieces. An addition to Apple's API.
  ///
  /// Bytes and pieces share one load: an iterator over single bytes has taken the piece that its bytes are of. Leaving a loop over the pieces
  /// doesn't cancel it while this sequence is there.
  public var chunks: URLSession.AsyncChunks { URLSession.AsyncChunks(task: task, source: source, cancel: nil) }

  /// The body of a load that has no other readers.
  fileprivate var onlyChunks: URLSession.AsyncChunks {
    URLSession.AsyncChunks(task: task, source: source, cancel: { [source] in source.cancel() })
  }
}

/// The iterators over the chunks of a body. Thread-safe.
private final class ChunkIterators: Sendable {
  private let count = Atomic(0)
  private let cancel: @Sendable () -> Void

  init(_ cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }

  func add() { count.add(1, ordering: .relaxed) }

  func remove() {
    if count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { cancel() }
  }
}

/// One iterator, with its copies: counted while it is there.
private final class ChunkIteratorPresence: Sendable {
  private let iterators: ChunkIterators

  init(_ iterators: ChunkIterators) {
    self.iterators = iterators
    iterators.add()
  }

  deinit { iterators.remove() }
}
