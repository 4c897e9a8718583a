import LoadingModel
import NIOCore
import ProtocolRules

/// Opens connections for protocols other than HTTP. Each belongs to one load, and the pool doesn't count it.
///
/// Owned by the pool; confined to its event loop.
package final class StreamDialer: @unchecked Sendable {
  // @unchecked: confined to `executor.eventLoop`.
  private let executor: LoopExecutor
  private let clock: any LoadClock
  private let connector: Connector
  private let deciders: PeerDeciders

  init(executor: LoopExecutor, clock: any LoadClock, connector: Connector, deciders: PeerDeciders) {
    self.executor = executor
    self.clock = clock
    self.connector = connector
    self.deciders = deciders
  }

  /// A connection to `origin`, by the load's route, for the load alone.
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
      // The load was interrupted after the connection was established, but before the load resumed: the connection isn't needed.
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
        // Retries only after the attempt's own local address has left the machine, so the loop ends.
        guard attempt.hasLostPath, dial.beginAgain() else { return dial.settle(.failure(error)) }
      }
    }
  }

  /// Opens a channel to `origin` over the load's route, for a protocol that the caller implements (FTP).
  /// - Parameters:
  /// - isAsSaid: Whether the address comes from a peer (such as FTP's PASV), so that the app's table `connectTo` doesn't apply to it.
  /// - isWanted: Whether the connection is still needed; asked on the event loop, before anything is sent.
  /// - prepare: Adds the caller's handlers to each socket's channel, before it is connected.
  package func openChannel(
    _ origin: Origin, _ context: LoadContext, _ timings: ConnectTimings, isAsSaid: Bool = false,
    isWanted: @escaping () -> Bool = { true }, prepare: @escaping (any Channel) throws -> Void
  ) async throws(LoadError) -> any Channel {
    let destination = Destination(origin, context.terms.route, traffic: context.terms.traffic)
    let attempt = ConnectAttempt(destination, prepare: prepare)
    attempt.isAsSaid = isAsSaid
    attempt.isNeeded = isWanted
    return try await channel(attempt, timings, context)
  }

  /// Opens a channel to the attempt's origin, which contains only the handlers that the attempt's `prepare` adds.
  private func channel(
    _ attempt: ConnectAttempt, _ timings: ConnectTimings, _ context: LoadContext
  ) async throws(LoadError) -> any Channel {
    timings.watcher = connector.watcher
    if attempt.destination.isWrapped { await connector.prepareTrust() }
    do {
      return try await connector.channel(attempt, timings) { context.terms.routeAttempt }
    } catch {
      throw TransportErrors.connecting(error)
    }
  }

  /// TLS that is started later on an open stream to `origin` (`startSecureConnection`, FTP's AUTH TLS).
  package func security(_ origin: Origin, _ context: LoadContext, evaluator: (any PeerEvaluator)?) async throws(LoadError)
    -> ChannelSecurity
  {
    await connector.prepareTrust()
    return try connector.security(origin, context, evaluator: evaluator, deciders: deciders)
  }
}
