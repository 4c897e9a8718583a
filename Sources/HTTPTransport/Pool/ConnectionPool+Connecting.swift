import LoadingModel
import NIOCore
import ProtocolRules

// Attempts to open connections, and the handling of their results.

extension ConnectionPool {
  /// Connections follow the HTTPS records that `services` knows from now on (RFC 9460).
  package func follow(_ services: any ServicePlaces) {
    connector.services = services
    alternatives.opener?.follow(services)
  }

  /// Begins an attempt to open a connection, which may be held while HTTP/3 has its head start.
  /// - Parameter refused: Places that earlier attempts have shown not to serve the origin.
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

  /// Handles the final failure of an attempt over TCP: ends the wait of a load with its error. Loads that wait for the app's answer about the server
  /// over QUIC are spared: the connection over QUIC may serve them.
  func conclude(_ attempt: ConnectAttempt, _ error: LoadError) {
    let spared = alternatives.sharing(attempt.destination)
    guard attempt.asker != nil || attempt.questions != nil else { return fail(attempt, error, sparing: spared) }
    if let asker = attempt.asker, spared.contains(asker) { machine.yielded(attempt.destination) } else { refuse(attempt, error) }
  }

  /// Ends all attempts to a destination, over TCP and QUIC; their errors aren't reported.
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
    // Loads that waited to see which protocol the server speaks may need more connections now.
    replenish(attempt.destination)
  }

  /// Begins as many attempts as the waiting loads of a destination need.
  func replenish(_ destination: Destination) {
    while case .connect = machine.replenish(destination) { openConnection(destination) }
  }

  private func fail(_ attempt: ConnectAttempt, _ error: LoadError, sparing spared: Set<Int>) {
    guard let failed = machine.connectFailed(attempt.destination, sparing: spared) else { return }
    waiting[failed.waiter]?.context.note(failed: attempt.timings)
    resume(failed.waiter, with: .failure(error))
    if failed.reconnect { openConnection(attempt.destination) }
  }

  /// Handles the failure of an attempt whose handshake was made for one load (with its app's answers, or without an app): only that load fails,
  /// others get new attempts.
  private func refuse(_ attempt: ConnectAttempt, _ error: LoadError) {
    let supply = machine.refused(attempt.destination, attempt.asker)
    if let waiter = attempt.asker {
      waiting[waiter]?.context.note(failed: attempt.timings)
      resume(waiter, with: .failure(error))
    }
    if case .connect = supply { openConnection(attempt.destination) }
  }
}
