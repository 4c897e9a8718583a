import LoadingModel

// Loads that wait for a connection.

extension ConnectionPool {
  /// A load that waits for a connection.
  final class Waiter: Interruptible {
    let id: Int
    let destination: Destination
    unowned let pool: ConnectionPool
    let context: LoadContext
    /// The load's app, if it may be asked about the connection, and its delegate's number.
    let evaluator: (any PeerEvaluator)?
    let decider: Int
    /// The attempt whose handshake is made for this load.
    weak var attempt: ConnectAttempt?
    var continuation: UnsafeContinuation<Result<HTTPConnection, LoadError>, Never>?

    init(
      _ id: Int, _ destination: Destination, _ pool: ConnectionPool, _ context: LoadContext, _ evaluator: (any PeerEvaluator)?, decider: Int
    ) {
      self.id = id
      self.destination = destination
      self.pool = pool
      self.context = context
      self.evaluator = evaluator
      self.decider = decider
    }

    func interrupt(_ error: LoadError) {
      pool.noteAttempt(of: self)
      pool.left(destination, id)
      pool.resume(id, with: .failure(error))
    }

    func suspensionEnded() {}

    var phase: LoadError.Phase? { pool.attempt(of: self)?.timings.phase }

    /// Whether its app can be asked, in the place of one with this delegate.
    func mayBeAsked(as decider: Int?) -> Bool { evaluator != nil && (decider ?? self.decider) == self.decider }

    /// What a handshake needs to ask its app; nil if it may not be asked.
    var asked: PeerChallengeHandler.Load? { evaluator.map { PeerChallengeHandler.Load(evaluator: $0, context: context, decider: decider) } }
  }

  /// Whether the app of a load that waits has a say in what connection it gets.
  func waiterIsAsked(_ id: Int) -> Bool { waiters[id]?.evaluator != nil }

  /// A load no longer waits.
  func left(_ destination: Destination, _ waiter: Int) {
    let endsAttempts = machine.left(destination, waiter)
    if endsAttempts { abandonAttempts(to: destination) }
  }

  /// A load gives up: its metrics tell how far the attempt had come that was made for it.
  private func noteAttempt(of waiter: Waiter) {
    if let attempt = attempt(of: waiter) { waiter.context.note(failed: attempt.timings) }
  }

  /// The attempt that is made for a load.
  fileprivate func attempt(of waiter: Waiter) -> ConnectAttempt? {
    waiter.attempt ?? attempts.values.first { $0.cause == waiter.id && !$0.isBesideTCP }
  }

  /// Ends a load's wait; false if it has left already, and a connection meant for it is free again.
  @discardableResult
  func resume(_ id: Int, with result: Result<HTTPConnection, LoadError>) -> Bool {
    guard let waiter = waiters.removeValue(forKey: id) else { return false }
    if case .success(let connection) = result { connection.reserve() }
    if let attempt = waiter.attempt, let questions = attempt.questions { release(questions, of: attempt, result) }
    if !races.isEmpty, case .success(let connection) = result { accompany(waiter, connection) }
    waiter.continuation?.resume(returning: result)
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
