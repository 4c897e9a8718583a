import BackgroundTransfers

/// Messages that came together: their changes are one commit, and what they cause comes after it.
final class MessageBatch {
  /// How many of the messages ask for lists and the like.
  var questions = 0
  private var effects: [() -> Void] = []

  func afterCommit(_ effect: @escaping () -> Void) { effects.append(effect) }

  /// In the order in which they were added; each may add none.
  func perform() {
    let all = effects
    effects = []
    for effect in all { effect() }
  }
}
