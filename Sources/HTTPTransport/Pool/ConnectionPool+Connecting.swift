import LoadingModel
import NIOCore
import ProtocolRules

// Attempts to open connections, and what becomes of them.

extension ConnectionPool {
  /// From now on connections over TCP follow what `services` knows.
  package func follow(_ services: any ServicePlaces) {
    connector.services = services
    opener?.follow(services)
  }

  /// - Parameter refused: Places that have turned out not to serve the origin.
  func openConnection(_ destination: Destination, for cause: Int? = nil, without refused: Set<ServicePlace> = []) {
    nextID += 1
    let offersHTTP2 = if case .single = negotiated(destination) { false } else { true }
    let attempt = ConnectAttempt(nextID, destination, for: cause, offersHTTP2: offersHTTP2)
    attempt.refusedPlaces = refused
    attempts[attempt.id] = attempt
    attempt.timings.watcher = watcher
    if opener != nil, let race = race(to: destination, for: cause, isAssumed: assumesHTTP3(destination, cause)),
      race.holds(attempt, clock.now)
    {
      return
    }
    open(attempt)
  }

  func open(_ attempt: ConnectAttempt) {
    let destination = attempt.destination
    Task(executorPreference: executor) { [self] in
      do throws(LoadError) {
        if destination.origin.isSecure || destination.isWrapped, !tls.isTrustStoreRead { await readTrustStore() }
        if await coalesce(attempt) { return }
        let connection =
          if case .http3Only = versions { try await openAlternative(attempt) } else { try await connector.open(attempt, owner: self) }
        guard attempts.removeValue(forKey: attempt.id) != nil else { return connection.close() }
        connected(attempt, connection)
      } catch {
        attempt.questions?.withdraw(error)
        guard attempts.removeValue(forKey: attempt.id) != nil else { return }
        if attempt.hasLostPath { return openConnection(destination, for: attempt.cause) }
        if leaves(attempt, error) { return }
        if error.resendReason == .needsHTTP1 { restrict(destination.origin) }
        if !keeps(attempt, error), !takesLastResort(attempt, error) { conclude(attempt, error) }
      }
    }
  }

  /// A place that the DNS names has accepted a connection, and hasn't proved to serve the origin: there is another attempt, without it.
  ///
  /// - Returns: Whether there is.
  private func leaves(_ attempt: ConnectAttempt, _ error: LoadError) -> Bool {
    guard let place = attempt.place, attempt.refusedPlaces.count < ServiceBindingRules.placeLimit, !attempt.isEnded, !error.isChoice,
      error.resendReason != .needsHTTP1, attempt.questions?.wasWithdrawn != true
    else { return false }
    let known = connector.services?.places(of: attempt.origin) { _ in } ?? []
    let left = ServiceBindingRules.attempts(
      at: attempt.origin, known, offering: attempt.offeredProtocols, without: attempt.refusedPlaces.union([place]))
    guard !left.allSatisfy(place.isSame) else { return false }
    connector.services?.drop(place, of: attempt.origin)
    if let asker = attempt.asker, waiters[asker]?.attempt === attempt { waiters[asker]?.attempt = nil }
    openConnection(attempt.destination, for: attempt.cause, without: attempt.refusedPlaces.union([place]))
    return true
  }

  /// Tells the failure of an attempt over TCP. A load whose app is asked about the server over QUIC waits for what comes of that, and so do
  /// the others that the answer is for.
  func conclude(_ attempt: ConnectAttempt, _ error: LoadError) {
    let spared = asked(to: attempt.destination).map { sharing($0, attempt.destination) } ?? []
    guard attempt.asker != nil || attempt.questions != nil else { return fail(attempt, error, sparing: spared) }
    if let asker = attempt.asker, spared.contains(asker) { machine.yielded(attempt.destination) } else { refuse(attempt, error) }
  }

  private func connected(_ attempt: ConnectAttempt, _ connection: HTTPConnection) {
    let asker = attempt.questions == nil ? nil : attempt.asker
    switch connection {
    case .single(let connection):
      connections[attempt.id] = connection
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

  /// The system's bundle is large, and no event loop should read files. If it can't be read, the handshake says so.
  func readTrustStore() async {
    let reading = BlockingThreads.files.run(on: executor.eventLoop) { [tls] in _ = try? tls.trustStore() }
    try? await reading.get()
  }

  private func fail(_ attempt: ConnectAttempt, _ error: LoadError, sparing spared: Set<Int>) {
    guard let failed = machine.connectFailed(attempt.destination, sparing: spared) else { return }
    waiters[failed.waiter]?.context.note(failed: attempt.timings)
    resume(failed.waiter, with: .failure(error))
    if failed.reconnect { openConnection(attempt.destination) }
  }

  /// An attempt failed whose handshake was made for one load, by its app's answers or without: others must not suffer from that.
  private func refuse(_ attempt: ConnectAttempt, _ error: LoadError) {
    let supply = machine.refused(attempt.destination, attempt.asker)
    if let waiter = attempt.asker {
      waiters[waiter]?.context.note(failed: attempt.timings)
      resume(waiter, with: .failure(error))
    }
    if case .connect = supply { openConnection(attempt.destination) }
  }
}
