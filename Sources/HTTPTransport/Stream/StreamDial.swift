import HTTPPolicy
import LoadingModel
import NIOCore

/// Opens one connection for a stream, for the load that waits for it. Confined to the event loop.
final class StreamDial: Interruptible, @unchecked Sendable {
  // @unchecked: confined to the session's event loop.
  private enum State {
    case dialing
    case waiting(UnsafeContinuation<Result<StreamConnection, LoadError>, Never>)
    case settled(Result<StreamConnection, LoadError>)
    case over
  }

  let attempt: ConnectAttempt
  private var state = State.dialing
  /// One for each socket that was tried: a server may speak, and even close, before anybody can look.
  private var prepared: [(channel: any Channel, connection: StreamConnection)] = []

  init(_ attempt: ConnectAttempt) {
    self.attempt = attempt
    attempt.prepare = { [weak self] channel in try self?.prepare(channel) }
  }

  private func prepare(_ channel: any Channel) throws {
    let connection = StreamConnection(channel)
    // A proxy that closes has nothing to be told any more.
    if attempt.destination.route.isDirect { connection.allowHalfClosure() }
    try channel.pipeline.syncOperations.addHandler(connection)
    prepared.append((channel, connection))
  }

  func connection(on channel: any Channel) throws(LoadError) -> StreamConnection {
    guard let connection = prepared.first(where: { $0.channel === channel })?.connection else {
      throw LoadError(.cannotConnectToHost, .connect, "the connection was closed at once")
    }
    connection.allowHalfClosure()
    prepared = []
    return connection
  }

  func result() async -> Result<StreamConnection, LoadError> {
    if case .settled(let result) = state {
      state = .over
      return result
    }
    return await withUnsafeContinuation { state = .waiting($0) }
  }

  /// The first outcome counts; a connection that comes too late is closed.
  func settle(_ result: Result<StreamConnection, LoadError>) {
    switch state {
    case .dialing: state = .settled(result)
    case .waiting(let continuation):
      state = .over
      continuation.resume(returning: result)
    case .settled, .over: if case .success(let connection) = result { connection.close() }
    }
  }

  func interrupt(_ error: LoadError) {
    settle(.failure(error))
    attempt.end()
  }

  func suspensionEnded() {}
}

extension ConnectionPool {
  /// A connection to `origin`, by the load's route, for what isn't HTTP: the load's alone, and none of those that the pool counts.
  package func dial(_ origin: Origin, _ context: LoadContext) async throws(LoadError) -> (StreamConnection, ConnectTimings) {
    executor.eventLoop.assertInEventLoop()
    try context.checkpoint()
    let attempt = ConnectAttempt(0, Destination(origin, context.route, traffic: context.traffic), for: nil, offersHTTP2: false)
    let dial = StreamDial(attempt)
    context.waits(on: dial)
    Task(executorPreference: executor) { [self] in
      do throws(LoadError) {
        if attempt.destination.isWrapped { await prepareTrust() }
        let channel = try await connector.dial(attempt) { context.passage }
        let connection = try dial.connection(on: channel)
        attempt.timings.connectEnd = clock.now
        dial.settle(.success(connection))
      } catch {
        dial.settle(.failure(error))
      }
    }
    let result = await dial.result()
    context.waits(on: nil)
    let connection = try result.get()
    do throws(LoadError) {
      try context.checkpoint()
    } catch {
      // A legal race: the load ended while its connection was on its way here.
      connection.close()
      throw error
    }
    return (connection, attempt.timings)
  }

  /// TLS that is begun in the middle of a stream to `origin`.
  package func security(_ origin: Origin, _ context: LoadContext, judge: (any PeerJudge)?) async throws(LoadError) -> ChannelSecurity {
    await prepareTrust()
    return try connector.security(origin, context, judge: judge)
  }

  /// Reads what servers are judged by, off the event loop.
  private func prepareTrust() async {
    if !tls.isTrustStoreRead { await readTrustStore() }
  }
}

extension Connector {
  /// A channel that leads to the origin, with nothing in it but what the attempt has prepared.
  func dial(_ attempt: ConnectAttempt, passage: () -> Passage?) async throws(LoadError) -> any Channel {
    do {
      return try await channel(attempt, attempt.timings, passage: passage)
    } catch {
      throw TransportErrors.connecting(error)
    }
  }
}
