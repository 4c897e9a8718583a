import Foundation
import ProtocolRules

/// The server-sent events in an asynchronous sequence of bytes; `serverSentEvents` makes it. An addition to Apple's API.
///
/// The bytes are parsed by the HTML standard (9.2.6). An event is delivered as soon as the empty line that ends it has arrived; an incomplete event
/// at the end of the bytes isn't delivered.
public struct URLSessionServerSentEventSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
  /// An event of the stream.
  public typealias Element = URLSessionServerSentEvent
  /// `URLSessionServerSentEventError`, or the error type of the bytes.
  public typealias Failure = any Error

  let base: Base
  let limit: Int

  /// Makes an iterator over the events. Iterating twice reads the base sequence twice, if it allows that.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base.makeAsyncIterator(), limit) }

  /// Produces the events; owned by the task that iterates.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// An event of the stream.
    public typealias Element = URLSessionServerSentEvent
    /// `URLSessionServerSentEventError`, or the error type of the bytes.
    public typealias Failure = any Error

    private var bytes: ChunkReader<Base.AsyncIterator>
    private var parser: EventStreamParser
    private let limit: Int
    private var isOver = false

    init(_ bytes: Base.AsyncIterator, _ limit: Int) {
      self.bytes = ChunkReader(bytes)
      self.limit = limit
      parser = EventStreamParser(limit: limit)
    }

    /// The next event; nil at the end.
    /// - Throws: ``URLSessionServerSentEventError/eventTooLong(limit:)``, or the error of the byte sequence. An event of which a part had arrived is
    ///   lost then.
    public mutating func next() async throws -> URLSessionServerSentEvent? {
      try await next(isolation: nil)
    }

    /// The next event, awaited on the caller's actor; nil at the end.
    /// - Throws: ``URLSessionServerSentEventError/eventTooLong(limit:)``, or the error of the byte sequence. An event of which a part had arrived is
    ///   lost then.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> URLSessionServerSentEvent? {
      while !isOver {
        do {
          if let event = try parser.nextEvent() { return URLSessionServerSentEvent(event) }
          guard let chunk = try await bytes.nextChunk(isolation: actor) else { break }
          parser.refill(chunk)
        } catch {
          isOver = true
          throw error is EventStreamParser.TooLong ? URLSessionServerSentEventError.eventTooLong(limit: limit) : error
        }
      }
      isOver = true
      return nil
    }
  }
}

extension URLSessionServerSentEventSequence: Sendable where Base: Sendable {}
extension URLSessionServerSentEventSequence.AsyncIterator: Sendable where Base.AsyncIterator: Sendable {}

extension AsyncSequence where Element == UInt8 {
  /// The server-sent events in these bytes, of at most 1 MiB each: `for try await event in bytes.serverSentEvents`.
  ///
  /// An addition to Apple's API. The end of the bytes is the end of the sequence; `URLSession.serverSentEvents(for:)` connects again.
  public var serverSentEvents: URLSessionServerSentEventSequence<Self> { serverSentEvents(maximumEventLength: 1 << 20) }

  /// The server-sent events in these bytes.
  /// - Parameter maximumEventLength: The largest length of data, type and id of an event together, in bytes; a longer event ends the sequence with
  ///   ``URLSessionServerSentEventError/eventTooLong(limit:)``.
  public func serverSentEvents(maximumEventLength: Int) -> URLSessionServerSentEventSequence<Self> {
    URLSessionServerSentEventSequence(base: self, limit: maximumEventLength)
  }
}

extension URLSessionServerSentEvent {
  init(_ event: EventStreamParser.Event) {
    self.init(
      id: event.id, type: event.type.isEmpty ? "message" : event.type, data: event.data,
      retry: event.retry.map { .milliseconds($0) })
  }
}
