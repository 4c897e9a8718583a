import LoadingModel

/// A load that has a connection over TCP, and whose app may be asked about one over QUIC beside it. The load isn't kept.
struct Companion {
  private weak var evaluator: (any PeerEvaluator)?
  private weak var context: LoadContext?
  let decider: Int

  /// nil if the load has no app to ask.
  init?(_ evaluator: (any PeerEvaluator)?, _ context: LoadContext, decider: Int) {
    guard let evaluator else { return nil }
    (self.evaluator, self.context, self.decider) = (evaluator, context, decider)
  }

  /// What a handshake needs to ask its app; nil once the load has ended, or is about to.
  var asked: PeerChallengeHandler.Load? {
    guard let evaluator, let context, !context.isOver, context.failure == nil else { return nil }
    return PeerChallengeHandler.Load(evaluator: evaluator, context: context, decider: decider, isWaiting: false)
  }
}
