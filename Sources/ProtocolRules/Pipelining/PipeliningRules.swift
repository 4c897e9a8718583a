import LoadingModel

/// When requests may follow one another on an HTTP/1.1 connection before the first is answered (RFC 9112, 9.3.2).
package enum PipeliningRules {
  /// The most requests of one connection that wait for responses at a time, including the one whose response is being received.
  package static let depth = 4

  /// Whether a request may share its connection with others that are still unanswered.
  ///
  /// RFC 9112, 9.3.2: "Idempotent methods are significant to pipelining because they can be automatically retried after a connection failure. A
  /// user agent SHOULD NOT pipeline requests after a non-idempotent method". This client pipelines safe methods only, and no request with a body,
  /// since the requests behind it might wait until the app supplies it.
  package static func allows(_ request: LoadRequest, closesConnection: Bool) -> Bool {
    // If a server sent a body in response to HEAD, it would be parsed as the next response.
    guard RetryRules.isSafe(request.method), request.method != "HEAD", !closesConnection, case .none = request.body else { return false }
    return true
  }

  /// Whether a response shows that more requests may be sent on its connection before it is read: it is HTTP/1.1, and doesn't come from a server
  /// known to mix up pipelined responses.
  package static func shows(_ head: ResponseHead) -> Bool {
    guard head.version == "HTTP/1.1" else { return false }
    guard let server = head.headers.first("server") else { return true }
    return !faultyServers.contains { server.hasPrefix($0) }
  }

  /// Beginnings of the field `Server` of servers that mix up pipelined responses.
  private static let faultyServers = [
    "Microsoft-IIS/4.", "Microsoft-IIS/5.", "Netscape-Enterprise/3.", "Netscape-Enterprise/4.", "Netscape-Enterprise/5.",
    "Netscape-Enterprise/6.", "WebLogic ",
  ]
}
