import BackgroundTransfers

/// Messages of one read from a connection: their changes are one commit, and replies and other effects follow it.
final class MessageBatch {
  /// How many of the messages ask for a list, a log or the status; bounded, because each answer may be large.
  var questions = 0
  private var effects: [() -> Void] = []

  func afterCommit(_ effect: @escaping () -> Void) { effects.append(effect) }

  /// Runs the effects in the order in which they were added; an effect mustn't add another.
  func perform() {
    let all = effects
    effects = []
    for effect in all { effect() }
  }
}
