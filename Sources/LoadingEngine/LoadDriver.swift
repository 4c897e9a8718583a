import HTTPTransport
import LoadingModel
import NIOCore

/// Runs one load from its request to its last call: the body of the load's one task, on the session's executor.
package struct LoadDriver: Sendable {
  package let session: LoadSession
  package let context: LoadContext
  package let client: any LoadClient

  package init(session: LoadSession, context: LoadContext, client: any LoadClient) {
    self.session = session
    self.context = context
    self.client = client
  }

  package func run(_ request: LoadRequest) async {
    session.admit(context)
    var result = LoadResult(response: nil, body: nil, error: nil, context: context)
    do throws(LoadError) {
      if context.isSuspended { try await context.waitWhileSuspended() }
      try context.checkpoint()
      let loaded = try await load(request)
      result.response = loaded.response
      do throws(LoadError) {
        result.body = try await deliver(loaded)
        if let webSocket = context.webSocket { return converse(webSocket, try loaded.switched(), result) }
      } catch {
        loaded.body.abandon()
        throw error
      }
    } catch {
      // What interrupted the load is the cause; the error in hand may only be its consequence.
      result.error = context.failure ?? error
    }
    finish(result)
  }

  /// Ends a load that hasn't begun.
  func end(_ error: LoadError) {
    finish(LoadResult(response: nil, body: nil, error: error, context: context))
  }

  private func finish(_ result: LoadResult) {
    if context.record.responseEnd == nil, result.error == nil { context.record.responseEnd = clockNow }
    session.dismiss(context)
    context.webSocket?.end(result.error)
    context.stream?.end(result.error)
    client.didFinish(result)
  }

  /// Talks, in a task of its own: a WebSocket is open for long, and would hold on to all the stack that its handshake needed.
  private func converse(_ webSocket: WebSocketSession, _ switched: SwitchedConnection, _ soFar: LoadResult) {
    Task(executorPreference: session.executor) {
      var result = soFar
      do throws(LoadError) {
        try context.checkpoint()
        try await webSocket.run(switched.head, over: switched.exchange)
      } catch {
        switched.exchange.abandon()
        result.error = context.failure ?? error
      }
      finish(result)
    }
  }

  private func load(_ request: LoadRequest) async throws(LoadError) -> Loaded {
    let stages = Next(session.plan.sessionStages, client)
    guard let download = client.download else { return try await stages(request, context) }
    let loaded = try await stages(try await download.begin(request, context), context)
    return try await download.settle(loaded, context, stages)
  }

  private var clockNow: Instant { context.clock.now }

  private func deliver(_ loaded: Loaded) async throws(LoadError) -> CollectedBody? {
    if let stream = context.stream {
      try context.checkpoint()
      context.waits(on: stream)
      try await StreamLoad(stream: stream, session: session, context: context, client: client).serve()
      return nil
    }
    context.record.response = loaded.response
    if context.isSuspended { try await context.waitWhileSuspended() }
    if client.didReceive(response: loaded.response) { try await client.askDisposition() }
    // What follows are its messages.
    if context.webSocket != nil { return nil }
    if let stream = context.stream {
      try await StreamLoad(stream: stream, session: session, context: context, client: client).run(loaded)
      return nil
    }
    guard client.collectsBody else {
      try await stream(loaded.body)
      return nil
    }
    var collected = CollectedBody(expecting: loaded.response.expectedLength)
    while let piece = try await loaded.body.next() {
      context.record.responseBodyBytesAfterDecoding += Int64(piece.readableBytes)
      try collected.append(piece)
      client.didCollect(bytes: piece.readableBytes)
      if context.isSuspended { try await context.waitWhileSuspended() }
    }
    try context.checkpoint()
    return collected
  }

  private func stream(_ body: any BodyReader) async throws(LoadError) {
    while let piece = try await body.next() {
      context.record.responseBodyBytesAfterDecoding += Int64(piece.readableBytes)
      if context.isSuspended { try await context.waitWhileSuspended() }
      try context.checkpoint()
      try await client.didReceive(body: piece)
      if piece.readableBytes >= Exchange.directThreshold, let exchange = body as? Exchange { try await takeDirectly(exchange) }
    }
    if let download = client.download { try await download.finish(context) }
    try context.checkpoint()
  }

  /// Bytes that go into a file directly before others have their turn on the event loop.
  private static let directTurn = 4 * 1024 * 1024

  /// Has the system move what waits in the socket into the load's file: no byte of it passes through this process.
  private func takeDirectly(_ exchange: Exchange) async throws(LoadError) {
    guard let download = client.download else { return }
    var taken = 0
    while taken < LoadDriver.directTurn {
      let count = try await download.take(from: exchange, context)
      guard count > 0 else { return }
      taken += count
      context.record.responseBodyBytesAfterDecoding += Int64(count)
      client.didStore(bytes: count)
      if context.isSuspended { try await context.waitWhileSuspended() }
      try context.checkpoint()
    }
  }
}
