public import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules

/// The server-sent events of a request that is sent again whenever its connection ends: what `URLSession.serverSentEvents(for:)` returns. An
/// addition to Apple's API.
///
/// Works as the HTML standard's EventSource (9.2.3). Each iteration makes connections of its own, the first with the first event asked for.
/// - A connection that can't be made, breaks or ends is made again after the time that the server's `retry` says, with the last event's id
///   in `Last-Event-ID`. Where connections bring no event, the time doubles with each.
/// - The sequence ends where the server answers 204, and with ``URLSessionServerSentEventError/unexpectedResponse(_:)`` where it answers
///   anything else than 200 and an event stream.
/// - Errors that another attempt can't mend (a bad URL, a server that isn't trusted, a session that was invalidated) end it as well.
///
/// Cancelling the Swift task throws `URLError.cancelled`; releasing the iterator cancels its load.
public struct URLSessionServerSentEventSource: AsyncSequence, Sendable {
  /// An event.
  public typealias Element = URLSessionServerSentEvent
  /// `URLError` or ``URLSessionServerSentEventError``.
  public typealias Failure = any Error

  let session: URLSession
  let request: URLRequest
  let reconnection: Reconnection?
  let limit: Int
  let delegate: (any URLSessionTaskDelegate)?
  /// Told before another connection is waited for: what ended the last one, nil for its end, and the seconds until the next.
  package var willConnectAgain: (@Sendable (_ error: (any Error)?, _ seconds: Double) -> Void)?

  /// Makes an iterator, which connects when it is asked for the first event.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// Produces the events; owned by the task that iterates.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    /// An event.
    public typealias Element = URLSessionServerSentEvent
    /// `URLError` or ``URLSessionServerSentEventError``.
    public typealias Failure = any Error

    private let source: URLSessionServerSentEventSource
    private var machine: EventSourceMachine
    private var parser: EventStreamParser
    /// The connection's body; nil while there is no connection.
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

    /// nil where the connection has ended, and the time before the next one is over.
    private mutating func nextEvent(isolation: isolated (any Actor)?) async throws -> URLSessionServerSentEvent? {
      while let chunks {
        let event = try parser.nextEvent()
        // Before the pause that it is meant for, with or without an event behind it.
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

    /// Waits before the next connection.
    /// - Parameter error: What ended this one; nil for its end.
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
  /// The server-sent events that `request` loads, over as many connections as it takes: see ``URLSessionServerSentEventSource``. An addition
  /// to Apple's API.
  ///
  /// `Accept`, `Cache-Control` and `Last-Event-ID` are set as the HTML standard says, the first two where the request has none. A stream may
  /// be silent for the request's `timeoutInterval`, 60 seconds by default; then it counts as broken. The request's body is sent with each
  /// connection: it can't be a stream.
  /// - Parameters:
  ///   - reconnection: When to connect again; nil for one connection, with whose end the sequence ends.
  ///   - maximumEventLength: How many bytes data, type and id of an event may have together. Default: 1 MiB.
  ///   - delegate: Asked and told before the session's delegate, for each connection.
  public func serverSentEvents(
    for request: URLRequest, reconnection: URLSessionServerSentEventSource.Reconnection? = .init(), maximumEventLength: Int = 1 << 20,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionServerSentEventSource {
    URLSessionServerSentEventSource(
      session: self, request: request, reconnection: reconnection, limit: maximumEventLength, delegate: delegate)
  }

  /// The server-sent events at `url`, over as many connections as it takes: see `serverSentEvents(for:)`. An addition to Apple's API.
  public func serverSentEvents(
    from url: URL, reconnection: URLSessionServerSentEventSource.Reconnection? = .init(), maximumEventLength: Int = 1 << 20,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionServerSentEventSource {
    serverSentEvents(
      for: URLRequest(url: url), reconnection: reconnection, maximumEventLength: maximumEventLength, delegate: delegate)
  }

  /// Lets time pass, by the session's clock.
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
  /// "unless the user agent knows that to be futile" (HTML, 9.2.3).
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
