import LoadingModel

/// When requests may follow one another on an HTTP/1.1 connection before the first is answered (RFC 9112, 9.3.2).
package enum PipeliningRules {
  /// Requests of one connection that wait for their responses at a time, the one that is being answered among them.
  package static let depth = 4

  /// Whether a request may be one of several under way.
  ///
  /// 9.3.2: "Idempotent methods are significant to pipelining because they can be automatically retried after a connection failure. A user
  /// agent SHOULD NOT pipeline requests after a non-idempotent method". Safe ones alone are taken here, and none with a body, which could make
  /// those behind it wait for the app.
  package static func allows(_ request: LoadRequest, closesConnection: Bool) -> Bool {
    // A server that sends a body for HEAD would have it taken for the next answer.
    guard RetryRules.isSafe(request.method), request.method != "HEAD", !closesConnection, case .none = request.body else { return false }
    return true
  }

  /// Whether a response shows that more requests may follow on its connection: it speaks HTTP/1.1, stays open, and comes from no server known
  /// to mix up its answers.
  package static func shows(_ head: ResponseHead) -> Bool {
    guard head.version == "HTTP/1.1" else { return false }
    guard let server = head.headers.first("server") else { return true }
    return !faultyServers.contains { server.hasPrefix($0) }
  }

  /// As servers name themselves.
  private static let faultyServers = [
    "Microsoft-IIS/4.", "Microsoft-IIS/5.", "Netscape-Enterprise/3.", "Netscape-Enterprise/4.", "Netscape-Enterprise/5.",
    "Netscape-Enterprise/6.", "WebLogic ",
  ]
}
