import LoadingModel
import NIOCore
import ProtocolRules

/// Opens one connection for a stream, for the load that waits for it. Confined to the event loop.
final class StreamConnector: Interruptible, @unchecked Sendable {
  // @unchecked: made and used on the session's event loop alone.
  private enum State {
    case dialing
    case waiting(UnsafeContinuation<Result<StreamConnection, LoadError>, Never>)
    case settled(Result<StreamConnection, LoadError>)
    case over
  }

  private let destination: Destination
  private(set) lazy var attempt = makeAttempt()
  private var state = State.dialing
  /// One for each socket that was tried: a server may send, and even close, before the stream is attached.
  private var prepared: [(channel: any Channel, connection: StreamConnection)] = []

  init(_ destination: Destination) {
    self.destination = destination
  }

  private func makeAttempt() -> ConnectAttempt {
    ConnectAttempt(destination) { [weak self] channel in try self?.prepare(channel) }
  }

  /// Once more, from another address; false if no load waits.
  func beginAgain() -> Bool {
    switch state {
    case .settled, .over: return false
    case .dialing, .waiting: break
    }
    attempt = makeAttempt()
    prepared = []
    return true
  }

  private func prepare(_ channel: any Channel) throws {
    let connection = StreamConnection(channel)
    // A proxy that closes needs no further message.
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

extension StreamConnector: PathBound {
  func vanished(_ addresses: Set<String>) { attempt.vanished(addresses) }
}

extension ConnectionPool {
  /// A connection to `origin`, by the load's route, for what isn't HTTP: the load's alone, and none of those that the pool counts.
  package func dial(_ origin: Origin, _ context: LoadContext) async throws(LoadError) -> (StreamConnection, ConnectTimings) {
    assert(executor.eventLoop.inEventLoop)
    try context.checkpoint()
    let dial = StreamConnector(Destination(origin, context.terms.route, traffic: context.terms.traffic))
    context.waits(on: dial)
    context.ownPath = dial
    Task(executorPreference: executor) { [self] in await run(dial, context) }
    let result = await dial.result()
    context.waits(on: nil)
    context.ownPath = nil
    if case .failure = result { context.note(failed: dial.attempt.timings) }
    let connection = try result.get()
    do throws(LoadError) {
      try context.checkpoint()
    } catch {
      // A legal race: the load ended while its connection was on its way here.
      connection.close()
      throw error
    }
    return (connection, dial.attempt.timings)
  }

  private func run(_ dial: StreamConnector, _ context: LoadContext) async {
    while true {
      let attempt = dial.attempt
      do throws(LoadError) {
        let channel = try await channel(attempt, attempt.timings, context)
        let connection = try dial.connection(on: channel)
        attempt.timings.connectEnd = clock.now
        return dial.settle(.success(connection))
      } catch {
        // Each time an address has to vanish first.
        guard attempt.hasLostPath, dial.beginAgain() else { return dial.settle(.failure(error)) }
      }
    }
  }

  /// A channel to `origin`, by the load's route, for what has a protocol of its own.
  /// - Parameters:
  ///   - isAsSaid: Whether a peer has said where it leads, which the app's table of places doesn't change.
  ///   - prepare: Puts into each socket's channel what belongs there, before it is connected.
  package func openChannel(
    _ origin: Origin, _ context: LoadContext, _ timings: ConnectTimings, isAsSaid: Bool = false,
    prepare: @escaping (any Channel) throws -> Void
  ) async throws(LoadError) -> any Channel {
    let destination = Destination(origin, context.terms.route, traffic: context.terms.traffic)
    let attempt = ConnectAttempt(destination, prepare: prepare)
    attempt.isAsSaid = isAsSaid
    return try await channel(attempt, timings, context)
  }

  /// A channel that leads to the attempt's origin, with nothing in it but what the attempt has prepared.
  private func channel(
    _ attempt: ConnectAttempt, _ timings: ConnectTimings, _ context: LoadContext
  ) async throws(LoadError) -> any Channel {
    timings.watcher = watcher
    if attempt.destination.isWrapped { await prepareTrust() }
    do {
      return try await connector.channel(attempt, timings) { context.terms.routeAttempt }
    } catch {
      throw TransportErrors.connecting(error)
    }
  }

  /// TLS that is begun in the middle of a stream to `origin`.
  package func security(_ origin: Origin, _ context: LoadContext, evaluator: (any PeerEvaluator)?) async throws(LoadError)
    -> ChannelSecurity
  {
    await prepareTrust()
    return try connector.security(origin, context, evaluator: evaluator, deciders: deciders)
  }

  /// Reads the anchors of trust evaluation, off the event loop.
  private func prepareTrust() async {
    if !tls.isTrustStoreRead { await readTrustStore() }
  }
}
