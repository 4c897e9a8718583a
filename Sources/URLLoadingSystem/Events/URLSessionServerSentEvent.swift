public import Foundation

/// An event that a server has sent in an event stream (HTML, 9.2.6): what `serverSentEvents` delivers. An addition to Apple's API.
public struct URLSessionServerSentEvent: Sendable, Hashable {
  /// The event's id: what the last `id` field of the stream said, in this event or before it; empty if there was none.
  public var id: String
  /// What kind of event it is: the `event` field; "message" where the stream doesn't say.
  public var type: String
  /// The event's content: its `data` fields with a line feed between them. Often JSON.
  public var data: String
  /// After what time the server wants the client to connect again, if the event says so (`retry`).
  public var retry: Duration?

  /// An event from its parts, for tests and for servers of one's own.
  public init(id: String = "", type: String = "message", data: String, retry: Duration? = nil) {
    self.id = id
    self.type = type
    self.data = data
    self.retry = retry
  }
}

/// Why a stream of server-sent events ends early, apart from what goes wrong while it is loaded.
public enum URLSessionServerSentEventError: Error, Sendable, Hashable {
  /// An event has more bytes than the limit, which is in bytes.
  case eventTooLong(limit: Int)
  /// The response isn't an event stream: its status isn't 200, or its `Content-Type` isn't `text/event-stream`.
  case unexpectedResponse(URLResponse)
}

extension URLSessionServerSentEventError: LocalizedError, CustomStringConvertible {
  /// What was wrong, in a sentence without a full stop.
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
