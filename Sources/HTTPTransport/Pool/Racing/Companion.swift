import LoadingModel

/// A load that has a connection over TCP, and whose app may be asked about the server of an attempt over QUIC. Refers to the load weakly.
struct Companion {
  private weak var evaluator: (any PeerEvaluator)?
  private weak var context: LoadContext?
  let decider: Int

  /// nil if the load has no app to ask (`evaluator` is nil).
  init?(_ evaluator: (any PeerEvaluator)?, _ context: LoadContext, decider: Int) {
    guard let evaluator else { return nil }
    (self.evaluator, self.context, self.decider) = (evaluator, context, decider)
  }

  /// The load's app and context, for a handshake that asks it; nil once the load has ended or been interrupted.
  var asked: PeerChallengeHandler.Load? {
    guard let evaluator, let context, !context.isOver, context.failure == nil else { return nil }
    return PeerChallengeHandler.Load(evaluator: evaluator, context: context, decider: decider, isWaiting: false)
  }
}
