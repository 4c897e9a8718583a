/// The way of every load: two short lists, outermost stage first. Read this file first.
///
///     URLSessionTask.resume -> LoadDriver -> session stages -> a protocol handler
///       http(s): HTTP stages -> connection pool -> connection
///       data, file: their own handlers;  anything else: the app's URLProtocol classes
///     and back up: response, then body, piece by piece, as fast as the app takes it.
///
/// A redirect can change the scheme and so the protocol: it stands above the protocol. Decoding belongs to HTTP alone.
package struct LoadingPlan: Sendable {
  package let sessionStages: [any Stage]
  package let httpStages: [any Stage]

  package init(_ session: LoadSession) {
    httpStages = [
      DecodingStage(),  // takes content codings off the body
      RetryStage(session: session),  // once more on a fresh connection, when a reused one turns out dead
      ExchangeStage(session: session),  // leases a connection and runs the exchange
    ]
    sessionStages = [
      RedirectStage(),  // follows redirects, each with a new choice of protocol
      ProtocolStage(session: session),  // the app's classes, then http, data, file
    ]
  }
}
