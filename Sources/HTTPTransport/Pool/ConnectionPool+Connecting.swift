import LoadingModel
import NIOCore
import ProtocolRules

// Attempts to open connections, and what becomes of them.

extension ConnectionPool {
  /// From now on connections over TCP follow what `services` knows.
  package func follow(_ services: any ServicePlaces) {
    connector.services = services
    alternatives.opener?.follow(services)
  }

  /// - Parameter refused: Places that have turned out not to serve the origin.
  func openConnection(_ destination: Destination, for cause: Int? = nil, without refused: Set<ServicePlace> = []) {
    let offersHTTP2 = if case .single = negotiated(destination) { false } else { true }
    let attempt = ConnectAttempt(attempts.makeID(), destination, for: cause, offersHTTP2: offersHTTP2)
    attempt.refusedPlaces = refused
    attempts.add(attempt)
    attempt.timings.watcher = connector.watcher
    if !alternatives.holds(attempt) { open(attempt) }
  }

  func open(_ attempt: ConnectAttempt) {
    let destination = attempt.destination
    Task(executorPreference: executor) { [self] in
      do throws(LoadError) {
        if destination.origin.isSecure || destination.isWrapped { await connector.prepareTrust() }
        if await coalesce(attempt) { return }
        let connection =
          if case .http3Only = versions { try await alternatives.openAlone(attempt) } else {
            try await connector.open(attempt, owner: self)
          }
        guard attempts.remove(attempt) else { return connection.close() }
        connected(attempt, connection)
      } catch {
        attempt.questions?.withdraw(error)
        guard attempts.remove(attempt) else { return }
        if attempt.hasLostPath { return openConnection(destination, for: attempt.cause) }
        if let refused = connector.leaves(attempt, error) {
          waiting.release(from: attempt)
          return openConnection(destination, for: attempt.cause, without: refused)
        }
        if error.resendReason == .needsHTTP1 { restrict(destination.origin) }
        if !alternatives.keeps(attempt, error) { conclude(attempt, error) }
      }
    }
  }

  /// Tells the failure of an attempt over TCP. A load whose app is asked about the server over QUIC waits for what comes of that, and so do
  /// the others that the answer is for.
  func conclude(_ attempt: ConnectAttempt, _ error: LoadError) {
    let spared = alternatives.sharing(attempt.destination)
    guard attempt.asker != nil || attempt.questions != nil else { return fail(attempt, error, sparing: spared) }
    if let asker = attempt.asker, spared.contains(asker) { machine.yielded(attempt.destination) } else { refuse(attempt, error) }
  }

  /// Ends all attempts to a destination, of which nothing is to be reported.
  func abandonAttempts(to destination: Destination) {
    alternatives.abandon(destination)
    attempts.abandon(destination)
  }

  private func connected(_ attempt: ConnectAttempt, _ connection: HTTPConnection) {
    let asker = attempt.questions == nil ? nil : attempt.asker
    switch connection {
    case .single(let connection):
      connections.add(connection)
      let use = machine.connected(
        attempt.destination, attempt.id, now: clock.now.nanoseconds, accepted: connection.peerAcceptance, for: asker)
      put(connection, to: use)
    case .shared(let connection): connected(attempt, connection, for: asker)
    }
    // The loads that waited to see what the server speaks.
    replenish(attempt.destination)
  }

  /// Opens what connections those who wait need.
  func replenish(_ destination: Destination) {
    while case .connect = machine.replenish(destination) { openConnection(destination) }
  }

  private func fail(_ attempt: ConnectAttempt, _ error: LoadError, sparing spared: Set<Int>) {
    guard let failed = machine.connectFailed(attempt.destination, sparing: spared) else { return }
    waiting[failed.waiter]?.context.note(failed: attempt.timings)
    resume(failed.waiter, with: .failure(error))
    if failed.reconnect { openConnection(attempt.destination) }
  }

  /// An attempt failed whose handshake was made for one load, by its app's answers or without: others must not suffer from that.
  private func refuse(_ attempt: ConnectAttempt, _ error: LoadError) {
    let supply = machine.refused(attempt.destination, attempt.asker)
    if let waiter = attempt.asker {
      waiting[waiter]?.context.note(failed: attempt.timings)
      resume(waiter, with: .failure(error))
    }
    if case .connect = supply { openConnection(attempt.destination) }
  }
}
