import HTTPTransport
import LoadingModel

/// The last stage of a stream task: opens its connection.
struct StreamStage: Stage {
  unowned let session: LoadSession

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard case .stream(let stream) = next.load.kind, let url = request.url, let origin = request.target?.origin else {
      throw LoadError(.badURL, .admission, "the stream has no host and port to connect to")
    }
    let (connection, timings) = try await reach(origin, request, next.load)
    context.hasArrived()
    context.record.fetchType = .networkLoad
    context.record.connection = connection.facts
    context.record.isProxyConnection = context.terms.routeAttempt != nil
    timings.fill(&context.record)
    stream.open(connection)
    return Loaded(response: LoadResponse(url: url, kind: .plain(mimeType: nil, textEncoding: nil), expectedLength: -1), body: NoBody())
  }

  /// A connection over a network that the load may use; waits for one if necessary.
  private func reach(
    _ origin: Origin, _ request: LoadRequest, _ load: Load
  ) async throws(LoadError) -> (StreamConnection, ConnectTimings) {
    let context = load.context
    session.watchNetworks()
    if context.isSuspended { try await context.waitWhileSuspended() }
    let connectivity = Connectivity(session, request, load)
    return try await connectivity.connection(
      { () throws(LoadError) in try await session.pool.streams.dial(origin, context) }, address: { $0.0.facts.localAddress },
      giveBack: { $0.0.close() })
  }
}
