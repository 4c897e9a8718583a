import LoadingModel

/// The owner of loads that wait for a connection: the pool, as they see it. All calls on the event loop.
protocol WaitingLoadOwner: AnyObject {
  /// The load has been interrupted: its wait has to end with `error`.
  func interrupted(_ load: WaitingLoad, _ error: LoadError)
  /// The phase of the connection attempt that is made for the load; nil if there is none.
  func phase(of load: WaitingLoad) -> LoadError.Phase?
}

/// A load that waits for a connection. Owned by the pool; confined to its event loop.
final class WaitingLoad: Interruptible {
  /// The load's number in the pool's waiting lines.
  let id: Int
  let destination: Destination
  let context: LoadContext
  /// The load's app, if it may be asked about the connection, and its delegate's number.
  let evaluator: (any PeerEvaluator)?
  let decider: Int
  /// The attempt whose handshake is made for this load, and may ask its app.
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

  /// Whether the load's app can be asked; if `decider` isn't nil, only if it is the app's delegate number.
  func mayBeAsked(as decider: Int?) -> Bool { evaluator != nil && (decider ?? self.decider) == self.decider }

  /// The load's app and context, for a handshake that asks it; nil if the load has no app to ask.
  var asked: PeerChallengeHandler.Load? { evaluator.map { PeerChallengeHandler.Load(evaluator: $0, context: context, decider: decider) } }
}
