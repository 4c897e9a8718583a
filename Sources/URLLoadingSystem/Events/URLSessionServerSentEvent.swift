public import Foundation

/// An event that a server has sent in an event stream (HTML, 9.2.6), as `serverSentEvents` delivers it. An addition to Apple's API.
public struct URLSessionServerSentEvent: Sendable, Hashable {
  /// The event's id: the value of the last `id` field in the stream so far, in this event or an earlier one; empty if there was none.
  public var id: String
  /// The event's type: its `event` field; "message" if it has none.
  public var type: String
  /// The event's content: its `data` fields with a line feed between them. Often JSON.
  public var data: String
  /// The time after which the server wants the client to reconnect (`retry`); nil if the event doesn't set it.
  public var retry: Duration?

  /// An event with the given parts, for tests and for an app's own server.
  public init(id: String = "", type: String = "message", data: String, retry: Duration? = nil) {
    self.id = id
    self.type = type
    self.data = data
    self.retry = retry
  }
}

/// Errors of a stream of server-sent events, apart from those of its load.
public enum URLSessionServerSentEventError: Error, Sendable, Hashable {
  /// An event is longer than the limit, in bytes.
  case eventTooLong(limit: Int)
  /// The response isn't an event stream: its status isn't 200, or its `Content-Type` isn't `text/event-stream`.
  case unexpectedResponse(URLResponse)
}

extension URLSessionServerSentEventError: LocalizedError, CustomStringConvertible {
  /// The error as a sentence without a full stop.
  public var description: String {
    switch self {
    case .eventTooLong(let limit):
      return "a server-sent event is longer than \(limit) bytes: pass a larger maximumEventLength if the server is to be trusted"
    case .unexpectedResponse(let response):
      let status = (response as? HTTPURLResponse).map { "status \($0.statusCode), " } ?? ""
      return "the response isn't an event stream (\(status)type \(response.mimeType ?? "none"))"
    }
  }

  /// As `description`.
  public var errorDescription: String? { description }
}
