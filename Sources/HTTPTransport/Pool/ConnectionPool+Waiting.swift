import LoadingModel

// Loads that wait for a connection.

extension ConnectionPool: WaitingLoadOwner {
  var hasWaiters: Bool { !waiting.isEmpty }

  func line(of destination: Destination) -> [Int] { machine.line(destination) }

  func next(to destination: Destination) -> Int? { machine.next(destination) }

  /// A load gives up: its metrics tell how far the attempt had come that was made for it.
  func interrupted(_ load: WaitingLoad, _ error: LoadError) {
    if let attempt = attempt(of: load) { load.context.note(failed: attempt.timings) }
    if machine.left(load.destination, load.id) { abandonAttempts(to: load.destination) }
    resume(load.id, with: .failure(error))
  }

  func phase(of load: WaitingLoad) -> LoadError.Phase? { attempt(of: load)?.timings.phase }

  /// The attempt that is made for a load.
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

  /// The load of `questions` waits no longer; over already if it got the very connection they were about.
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
