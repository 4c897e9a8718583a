import LoadingModel

// Loads that wait for a connection, and the end of their waits.

extension ConnectionPool: WaitingLoadOwner {
  var hasWaiters: Bool { !waiting.isEmpty }

  func line(of destination: Destination) -> [Int] { machine.line(destination) }

  func next(to destination: Destination) -> Int? { machine.next(destination) }

  /// A waiting load has been interrupted: notes the attempt's phases in its metrics, and ends attempts that no load needs any more.
  func interrupted(_ load: WaitingLoad, _ error: LoadError) {
    if let attempt = attempt(of: load) { load.context.note(failed: attempt.timings) }
    if machine.left(load.destination, load.id) { abandonAttempts(to: load.destination) }
    resume(load.id, with: .failure(error))
  }

  func phase(of load: WaitingLoad) -> LoadError.Phase? { attempt(of: load)?.timings.phase }

  /// The attempt over TCP or QUIC whose handshake is made for the load, or that was begun for it; nil if there is none.
  private func attempt(of load: WaitingLoad) -> ConnectAttempt? {
    load.attempt ?? attempts.all.first { $0.cause == load.id && !$0.isBesideTCP }
  }

  /// Ends a load's wait; false if it has left already, and a connection meant for it is free again.
  @discardableResult
  func resume(_ id: Int, with result: Result<HTTPConnection, LoadError>) -> Bool {
    guard let load = waiting.remove(id) else { return false }
    if case .success(let connection) = result { connection.reserve() }
    if let attempt = load.attempt, let questions = attempt.questions { release(questions, of: attempt, result) }
    if case .success(let connection) = result { alternatives.accompany(load, connection) }
    load.continuation?.resume(returning: result)
    return true
  }

  /// The load whose app was asked waits no longer. `questions` end with its wait; an attempt over QUIC beside TCP may ask another load's app.
  private func release(
    _ questions: PeerChallengeHandler, of attempt: ConnectAttempt, _ result: Result<HTTPConnection, LoadError>
  ) {
    switch result {
    case .success where attempt.isBesideTCP: questions.release()
    case .success: questions.withdraw(.cancelled(.secure))
    case .failure(let error): questions.withdraw(error)
    }
  }
}
