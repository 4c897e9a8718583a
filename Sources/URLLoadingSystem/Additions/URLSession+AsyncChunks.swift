public import Foundation
import LoadingModel

extension URLSession {
  /// The body of a response in pieces, as they arrive. An addition to Apple's API, whose `AsyncBytes` has single bytes.
  ///
  /// A piece consists of the bytes that have arrived when it is asked for, some hundred KiB at most, and is never empty. Back-pressure and
  /// cancellation work as for `AsyncBytes`: the load waits while nothing is read, and is cancelled when the sequence and its iterators are released.
  /// All iterators share one load: each piece is delivered once.
  public struct AsyncChunks: AsyncSequence, Sendable {
    /// A piece of the body; never empty.
    public typealias Element = Data
    /// `URLError`, or the error of an app's own `URLProtocol`.
    public typealias Failure = any Error

    /// The load's task, by which it can be cancelled and its progress read.
    public let task: URLSessionDataTask
    private let source: any ByteChunkSource<any Error>

    init(task: URLSessionDataTask, source: any ByteChunkSource<any Error>) {
      self.task = task
      self.source = source
    }

    /// Makes an iterator over the unread pieces.
    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// Produces the pieces; owned by the task that iterates. Copies share the load.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      private let source: any ByteChunkSource<any Error>

      fileprivate init(_ source: any ByteChunkSource<any Error>) { self.source = source }

      /// The next piece; nil at the end.
      /// - Throws: `URLError`.
      public mutating func next() async throws -> Data? { try await source.nextChunk(isolation: nil) }

      /// The next piece, awaited on the caller's actor; nil at the end.
      /// - Throws: `URLError`.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
        try await source.nextChunk(isolation: actor)
      }
    }

    /// Reads all remaining pieces into one.
    /// - Parameter limit: The largest number of bytes to collect.
    /// - Throws: `URLError.dataLengthExceedsMaximum` as soon as the body is known to be longer, which cancels the load; otherwise `URLError`.
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
    return (bytes.chunks, response)
  }

  /// Loads `url` with GET and returns its body in pieces, as soon as the response is there. An addition to Apple's API.
  /// - Parameter delegate: Asked and told before the session's delegate about progress, challenges, redirects and metrics.
  /// - Throws: `URLError`. Cancelling the Swift task cancels the load.
  public func chunks(
    from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (AsyncChunks, URLResponse) {
    let (bytes, response) = try await bytes(from: url, delegate: delegate)
    return (bytes.chunks, response)
  }
}

extension URLSession.AsyncBytes {
  /// The body in pieces. An addition to Apple's API.
  ///
  /// Bytes and pieces share one load. An iterator over single bytes has taken the whole piece that contains its current byte.
  public var chunks: URLSession.AsyncChunks { URLSession.AsyncChunks(task: task, source: makeAsyncIterator().chunkSource) }
}
