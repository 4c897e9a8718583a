import LoadingModel

/// What a load that waits asks of the pool, and tells it. All calls on the event loop.
protocol WaitingLoadOwner: AnyObject {
  /// The load is to wait no longer.
  func interrupted(_ load: WaitingLoad, _ error: LoadError)
  /// What the attempt that is made for the load does; nil if there is none.
  func phase(of load: WaitingLoad) -> LoadError.Phase?
}

/// A load that waits for a connection. Owned by the pool; confined to its event loop.
final class WaitingLoad: Interruptible {
  /// Its place in the pool's line.
  let id: Int
  let destination: Destination
  let context: LoadContext
  /// The load's app, if it may be asked about the connection, and its delegate's number.
  let evaluator: (any PeerEvaluator)?
  let decider: Int
  /// The attempt whose handshake is made for this load.
  weak var attempt: ConnectAttempt?
  var continuation: UnsafeContinuation<Result<HTTPConnection, LoadError>, Never>?
  private unowned let owner: any WaitingLoadOwner

  init(
    _ id: Int, _ destination: Destination, _ owner: any WaitingLoadOwner, _ context: LoadContext, _ evaluator: (any PeerEvaluator)?,
    decider: Int
  ) {
    self.id = id
    self.destination = destination
    self.owner = owner
    self.context = context
    self.evaluator = evaluator
    self.decider = decider
  }

  func interrupt(_ error: LoadError) { owner.interrupted(self, error) }

  func suspensionEnded() {}

  var phase: LoadError.Phase? { owner.phase(of: self) }

  /// Whether its app can be asked, in the place of one with this delegate.
  func mayBeAsked(as decider: Int?) -> Bool { evaluator != nil && (decider ?? self.decider) == self.decider }

  /// What a handshake needs to ask its app; nil if it may not be asked.
  var asked: PeerChallengeHandler.Load? { evaluator.map { PeerChallengeHandler.Load(evaluator: $0, context: context, decider: decider) } }
}
