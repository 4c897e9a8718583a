import Foundation

/// The delegates of one task, in the order in which they are called: its own first, then the session's.
///
/// The choice is made method by method: what the first does not implement is called on the second, and what neither implements gets the
/// answer that Apple documents for an absent method. A value held by the task; used on the delegate queue, answers come on any thread.
struct DelegateChain: Sendable {
  /// In the order of asking.
  let links: [DelegateMessages]

  init(task: DelegateMessages?, session: DelegateMessages?) {
    // One object in both roles must not be asked twice.
    if let task, let session, task.delegate === session.delegate {
      links = [task]
    } else {
      links = [task, session].compactMap(\.self)
    }
  }

  init(task: (any URLSessionDelegate)? = nil, session: (any URLSessionDelegate)? = nil) {
    self.init(task: task.map(DelegateMessages.init), session: session.map(DelegateMessages.init))
  }

  /// False if no delegate implements the method for sure, so that the engine can leave out all work for it.
  func mayImplement(_ method: DelegateMethod) -> Bool {
    for link in links where link.mayImplement(method) { return true }
    return false
  }

  /// False if no delegate can answer a challenge of any kind.
  var mayAnswerChallenges: Bool { mayImplement(.didReceiveTaskChallenge) || mayImplement(.didReceiveSessionChallenge) }

  /// The first delegate that may answer challenges; nil if there is none, or it has been released.
  var challengeTaker: AnyObject? {
    links.first { $0.mayImplement(.didReceiveTaskChallenge) || $0.mayImplement(.didReceiveSessionChallenge) }?.delegate
  }

  /// Sends a message down the chain; true once a delegate took it.
  func tell(_ send: (DelegateMessages) -> Bool) -> Bool {
    for link in links where send(link) { return true }
    return false
  }

  /// A question put to one delegate in one method.
  typealias Offer<Value> = @Sendable (_ receiver: @escaping @Sendable (DelegateAnswer<Value>) -> Void) -> Void

  /// Makes the offers in order until one is taken; `standard` is the answer if none is.
  static func decide<Value>(
    _ offers: ArraySlice<Offer<Value>>, standard: @escaping @Sendable () -> Value, then: @escaping @Sendable (Value) -> Void
  ) {
    guard let offer = offers.first else { return then(standard()) }
    offer { answer in
      switch answer {
      case .answered(let value): then(value)
      case .notImplemented: decide(offers.dropFirst(), standard: standard, then: then)
      }
    }
  }

  /// Puts the same question to every link.
  func decide<Value>(
    _ ask: @escaping @Sendable (DelegateMessages, @escaping @Sendable (DelegateAnswer<Value>) -> Void) -> Void,
    standard: @escaping @Sendable () -> Value, then: @escaping @Sendable (Value) -> Void
  ) {
    let offers: [Offer<Value>] = links.map { link in { receiver in ask(link, receiver) } }
    Self.decide(offers[...], standard: standard, then: then)
  }
}
