public import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules

/// The server-sent events of a request that is sent again whenever its connection ends; `URLSession.serverSentEvents(for:)` returns it. An addition
/// to Apple's API.
///
/// Works like the HTML standard's EventSource (9.2.3). Each iterator makes connections of its own, the first when it is asked for the first event.
/// - If a connection can't be made, breaks or ends, another one is made after the time that the server's `retry` sets, with the last event's id in
///   `Last-Event-ID`. While connections bring no event, the time doubles with each.
/// - The sequence ends if the server responds with 204, and with ``URLSessionServerSentEventError/unexpectedResponse(_:)`` if the response is neither
///   204 nor an event stream with status 200.
/// - It also ends with errors that another attempt can't fix: a bad URL, a server that isn't trusted, a session that was invalidated.
///
/// Cancelling the Swift task throws `URLError.cancelled`; releasing the iterator cancels its load.
public struct URLSessionServerSentEventSource: AsyncSequence, Sendable {
  /// An event of the stream.
  public typealias Element = URLSessionServerSentEvent
  /// `URLError` or ``URLSessionServerSentEventError``.
  public typealias Failure = any Error

  let session: URLSession
  let request: URLRequest
  let reconnection: Reconnection?
  let limit: Int
  let delegate: (any URLSessionTaskDelegate)?
  /// Called before each wait for another connection, with the error of the last connection (nil if it ended), and the seconds to wait.
  package var willConnectAgain: (@Sendable (_ error: (any Error)?, _ seconds: Double) -> Void)?

  /// Makes an iterator, which connects when it is asked for the first event.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// Produces the events; owned by the task that iterates.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    /// An event of the stream.
    public typealias Element = URLSessionServerSentEvent
    /// `URLError` or ``URLSessionServerSentEventError``.
    public typealias Failure = any Error

    private let source: URLSessionServerSentEventSource
    private var machine: EventSourceMachine
    private var parser: EventStreamParser
    /// The body of the current connection; nil while there is none.
    private var chunks: (any ByteChunkSource<any Error>)?
    private var isOver = false

    init(_ source: URLSessionServerSentEventSource) {
      self.source = source
      let terms = source.reconnection ?? Reconnection(maximumAttempts: 0)
      machine = EventSourceMachine(
        reconnectionTime: terms.initialDelay.inSeconds, longestPause: terms.maximumDelay.inSeconds, attempts: terms.maximumAttempts)
      let id = source.request.value(forHTTPHeaderField: "Last-Event-ID") ?? ""
      parser = EventStreamParser(lastEventID: id, limit: source.limit)
    }

    /// The next event, of this connection or a later one; nil when the server wants no further connection.
    /// - Throws: `URLError` or ``URLSessionServerSentEventError``.
    public mutating func next() async throws -> URLSessionServerSentEvent? {
      try await next(isolation: nil)
    }

    /// The next event, awaited on the caller's actor; nil when the server wants no further connection.
    /// - Throws: `URLError` or ``URLSessionServerSentEventError``.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> URLSessionServerSentEvent? {
      while !isOver {
        do {
          if chunks == nil { try await connect() }
          if let event = try await nextEvent(isolation: actor) { return event }
        } catch {
          isOver = true
          chunks = nil
          throw error is EventStreamParser.TooLong ? URLSessionServerSentEventError.eventTooLong(limit: source.limit) : error
        }
      }
      return nil
    }

    /// The next event of the current connection; nil if the connection has ended, after the pause before the next one.
    private mutating func nextEvent(isolation: isolated (any Actor)?) async throws -> URLSessionServerSentEvent? {
      while let chunks {
        let event = try parser.nextEvent()
        // Read before the pause to which it applies, even if no event follows it.
        if let time = parser.reconnectionTime { machine.setReconnectionTime(time) }
        if let event {
          machine.didReceiveEvent()
          return URLSessionServerSentEvent(event)
        }
        var failure: (any Error)?
        do {
          if let chunk = try await chunks.nextChunk(isolation: isolation) {
            parser.refill(chunk)
            continue
          }
        } catch {
          failure = error
        }
        try await pause(after: failure)
      }
      return nil
    }

    private mutating func connect() async throws {
      do {
        let (bytes, response) = try await source.session.bytes(for: request, delegate: source.delegate)
        switch machine.didOpen(status: (response as? HTTPURLResponse)?.statusCode, mimeType: response.mimeType) {
        case .read:
          parser = EventStreamParser(lastEventID: parser.lastEventID, limit: source.limit)
          chunks = bytes.makeAsyncIterator().chunkSource
        case .end: isOver = true
        case .refused: throw URLSessionServerSentEventError.unexpectedResponse(response)
        }
      } catch let error as URLError {
        try await pause(after: error)
      }
    }

    private var request: URLRequest {
      var request = source.request
      // HTML, 9.2.2: "Set request's header list … `Accept`/`text/event-stream`", and "set request's cache mode to "no-store"".
      if request.value(forHTTPHeaderField: "Accept") == nil { request.setValue("text/event-stream", forHTTPHeaderField: "Accept") }
      if request.value(forHTTPHeaderField: "Cache-Control") == nil { request.setValue("no-store", forHTTPHeaderField: "Cache-Control") }
      request.cachePolicy = .reloadIgnoringLocalCacheData
      request.setValue(parser.lastEventID.isEmpty ? nil : parser.lastEventID, forHTTPHeaderField: "Last-Event-ID")
      return request
    }

    /// Waits before the next connection; throws, or ends the sequence, if there is to be none.
    /// - Parameter error: The error of the last connection; nil if it ended.
    private mutating func pause(after error: (any Error)?) async throws {
      chunks = nil
      guard !isOver else { return }
      if let error, !error.isWorthAnotherConnection { throw error }
      guard let seconds = machine.didBreak(chance: Double.random(in: 0...1)) else {
        isOver = true
        if let error { throw error }
        return
      }
      source.willConnectAgain?(error, seconds)
      try await source.session.pause(seconds: seconds)
    }
  }
}

extension URLSession {
  /// The server-sent events that `request` loads, reconnecting whenever the connection ends: see ``URLSessionServerSentEventSource``. An addition to
  /// Apple's API.
  ///
  /// `Accept`, `Cache-Control` and `Last-Event-ID` are set by the HTML standard's rules, the first two only if the request doesn't have them. If
  /// nothing arrives for the request's `timeoutInterval`, 60 seconds by default, the connection counts as broken. The request's body is sent with
  /// each connection, so it can't be a stream.
  /// - Parameters:
  ///   - reconnection: When to reconnect; nil for a single connection, with which the sequence ends.
  ///   - maximumEventLength: The largest length of data, type and id of an event together, in bytes. Default: 1 MiB.
  ///   - delegate: Asked and told before the session's delegate, for each connection.
  public func serverSentEvents(
    for request: URLRequest, reconnection: URLSessionServerSentEventSource.Reconnection? = .init(), maximumEventLength: Int = 1 << 20,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionServerSentEventSource {
    URLSessionServerSentEventSource(
      session: self, request: request, reconnection: reconnection, limit: maximumEventLength, delegate: delegate)
  }

  /// The server-sent events at `url`, reconnecting whenever the connection ends: see `serverSentEvents(for:)`. An addition to Apple's API.
  public func serverSentEvents(
    from url: URL, reconnection: URLSessionServerSentEventSource.Reconnection? = .init(), maximumEventLength: Int = 1 << 20,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionServerSentEventSource {
    serverSentEvents(
      for: URLRequest(url: url), reconnection: reconnection, maximumEventLength: maximumEventLength, delegate: delegate)
  }

  /// Waits for the given time, by the session's clock.
  /// - Throws: `URLError.cancelled` if the Swift task is cancelled.
  func pause(seconds: Double) async throws {
    let (clock, answer) = (engine.clock, AsyncAnswer<Void>(executor: nil))
    let planned = clock.plan(at: clock.now.advanced(bySeconds: seconds)) { answer.give(.success(())) }
    let result = await withTaskCancellationHandler {
      await answer.wait {}
    } onCancel: {
      answer.give(.failure(.cancelled()))
    }
    planned.cancel()
    do throws(LoadError) { try result.get() } catch { throw error.urlError(failingURL: nil) }
  }
}

extension Error {
  /// Whether to reconnect after this error: "unless the user agent knows that to be futile" (HTML, 9.2.3).
  fileprivate var isWorthAnotherConnection: Bool {
    guard let code = (self as? URLError)?.code else { return false }
    switch code {
    case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed, .notConnectedToInternet,
      .resourceUnavailable, .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .secureConnectionFailed,
      .internationalRoamingOff, .callIsActive, .dataNotAllowed:
      return true
    default: return false
    }
  }
}

extension Duration {
  fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
