import HTTPTransport
import LoadingModel
import NIOCore

/// Runs one load from its request to the client's last call, in a Swift task on the session's executor.
package struct LoadDriver: Sendable {
  package let session: LoadSession
  package let load: Load
  private let context: LoadContext
  private let client: any LoadClient

  package init(session: LoadSession, load: Load) {
    self.session = session
    self.load = load
    context = load.context
    client = load.client
  }

  package func run(_ request: LoadRequest) async {
    assert(context.eventLoop.inEventLoop)
    session.admit(context)
    var result = LoadResult(response: nil, body: nil, error: nil, context: context)
    do throws(LoadError) {
      if context.isSuspended { try await context.waitWhileSuspended() }
      try context.checkpoint()
      let loaded = try await response(to: request)
      if !loaded.response.isAbsent { result.response = loaded.response }
      do throws(LoadError) {
        result.body = try await deliver(loaded, request)
        if case .webSocket(let webSocket) = load.kind { return exchangeMessages(webSocket, try loaded.switched(), result) }
      } catch {
        loaded.body.abandon()
        throw error
      }
    } catch {
      // If the load was interrupted, that is the cause; the error thrown may only be its consequence.
      result.error = context.failure ?? error
    }
    session.finish(load, result)
  }

  /// Exchanges the WebSocket's messages in another Swift task: a WebSocket stays open for long, and this task would keep all the stack that its
  /// handshake needed.
  private func exchangeMessages(_ webSocket: WebSocketSession, _ switched: SwitchedConnection, _ soFar: LoadResult) {
    Task(executorPreference: session.executor) {
      var result = soFar
      do throws(LoadError) {
        try context.checkpoint()
        try await webSocket.run(switched.head, over: switched.exchange)
      } catch {
        switched.exchange.abandon()
        result.error = context.failure ?? error
      }
      session.finish(load, result)
    }
  }

  private func response(to request: LoadRequest) async throws(LoadError) -> Loaded {
    let stages = Next(session.plan.session, load)
    guard let download = client.download else { return try await stages(request, context) }
    return try await response(to: request, for: download, stages)
  }

  // Not inlined: only downloads need it, and its copies would take room in the stack frame of each waiting load.
  @inline(never)
  private func response(to request: LoadRequest, for download: Download, _ stages: Next) async throws(LoadError) -> Loaded {
    let loaded = try await stages(try await download.begin(request, context), context)
    return try await download.settle(loaded, context, stages)
  }

  private func deliver(_ loaded: Loaded, _ request: LoadRequest) async throws(LoadError) -> CollectedBody? {
    if case .stream(let stream) = load.kind {
      try context.checkpoint()
      context.waits(on: stream)
      try await StreamLoad(stream: stream, session: session, context: context, client: client).serve()
      return nil
    }
    if !loaded.response.isAbsent { context.record.response = loaded.response }
    if context.isSuspended { try await context.waitWhileSuspended() }
    if client.didReceive(response: loaded.response), case .stream(let stream) = try await client.askDisposition() {
      load.kind = .stream(stream)
      let held = load.exchange
      load.exchange = nil
      try await StreamLoad(stream: stream, session: session, context: context, client: client).run(loaded, over: held)
      return nil
    }
    // A WebSocket has no body; its messages are exchanged instead.
    if case .webSocket = load.kind { return nil }
    guard client.collectsBody else {
      if let parts = PartDelivery(loaded, to: client) { try await stream(loaded.body, in: parts) } else { try await stream(loaded.body) }
      return nil
    }
    // The length that a response to HEAD, or a 304, announces is that of a body that isn't sent.
    let expected = if case .none = loaded.framing { Int64(-1) } else { loaded.response.expectedLength }
    var collected = try CollectedBody(expecting: expected, limit: session.bodyLimits(for: request).collected)
    while true {
      let piece: ByteBuffer
      switch try loaded.body.nextAtOnce() {
      case .piece(let next): piece = next
      case .end:
        try context.checkpoint()
        return collected
      case .nothingYet:
        guard let next = try await loaded.body.next() else {
          try context.checkpoint()
          return collected
        }
        piece = next
      }
      context.record.responseBodyBytesAfterDecoding += Int64(piece.readableBytes)
      context.contents?.received(body: piece)
      try collected.append(piece)
      client.didCollect(bytes: piece.readableBytes)
      if context.isSuspended { try await context.waitWhileSuspended() }
    }
  }

  private func stream(_ body: any BodyReader) async throws(LoadError) {
    while let piece = try await body.next() {
      context.record.responseBodyBytesAfterDecoding += Int64(piece.readableBytes)
      context.contents?.received(body: piece)
      if context.isSuspended { try await context.waitWhileSuspended() }
      try context.checkpoint()
      try await client.didReceive(body: piece)
      if piece.readableBytes >= Exchange.directThreshold, let exchange = body as? Exchange { try await takeDirectly(exchange) }
    }
    if let download = client.download { try await download.finish(context) }
    try context.checkpoint()
  }

  // Not inlined: multipart bodies are rare, and its copies would take room in the stack frame of each waiting load.
  @inline(never)
  private func stream(_ body: any BodyReader, in parts: PartDelivery) async throws(LoadError) {
    var parts = parts
    while let piece = try await body.next() {
      context.record.responseBodyBytesAfterDecoding += Int64(piece.readableBytes)
      context.contents?.received(body: piece)
      if context.isSuspended { try await context.waitWhileSuspended() }
      try context.checkpoint()
      try await parts.take(piece, context)
    }
    try context.checkpoint()
    try await parts.finish()
  }

  /// The most bytes that are moved into a file at a time, before other work has its turn on the event loop.
  private static let directTurn = 4 * 1024 * 1024

  /// Has the kernel move the bytes that wait in the socket into the load's file, so that they don't pass through this process.
  private func takeDirectly(_ exchange: Exchange) async throws(LoadError) {
    // If bodies are recorded, they have to pass through this process.
    guard let download = client.download, context.contents == nil else { return }
    var taken = 0
    while taken < LoadDriver.directTurn {
      let count = try await download.take(from: exchange, context)
      guard count > 0 else { return }
      taken += count
      context.record.responseBodyBytesAfterDecoding += Int64(count)
      client.downloading?.didStore(bytes: count)
      if context.isSuspended { try await context.waitWhileSuspended() }
      try context.checkpoint()
    }
  }
}
