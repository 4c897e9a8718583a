import Foundation

/// The delegates of one task, in the order in which they are called: its own first, then the session's.
///
/// They are chosen method by method: if the first doesn't implement a method, the second is called; if neither does, the answer is the one that Apple
/// documents for an absent method. A value held by the task; used on the delegate queue, answers come on any thread.
struct DelegateChain: Sendable {
  /// The delegates, each at most once, in the order in which they are called.
  let links: [DelegateMessages]

  init(task: DelegateMessages?, session: DelegateMessages?) {
    // An object that is the delegate of both the task and the session must not be asked twice.
    if let task, let session, task.delegate === session.delegate {
      links = [task]
    } else {
      links = [task, session].compactMap(\.self)
    }
  }

  init(task: (any URLSessionDelegate)? = nil, session: (any URLSessionDelegate)? = nil) {
    self.init(task: task.map(DelegateMessages.init), session: session.map(DelegateMessages.init))
  }

  /// Whether a delegate may implement the method; false only if it is known that none does, so that the engine can skip the work for it.
  func mayImplement(_ method: DelegateMethod) -> Bool {
    for link in links where link.mayImplement(method) { return true }
    return false
  }

  /// Whether a delegate may implement one of the two challenge methods.
  var mayAnswerChallenges: Bool { mayImplement(.didReceiveTaskChallenge) || mayImplement(.didReceiveSessionChallenge) }

  /// The first delegate that may answer challenges; nil if there is none.
  var challengeTaker: AnyObject? {
    links.first { $0.mayImplement(.didReceiveTaskChallenge) || $0.mayImplement(.didReceiveSessionChallenge) }?.delegate
  }

  /// Calls a method on each delegate in turn until one implements it; returns whether one did.
  func tell(_ send: (DelegateMessages) -> Bool) -> Bool {
    for link in links where send(link) { return true }
    return false
  }

  /// Calls one method of one delegate, and passes the result to `receiver`.
  typealias Offer<Value> = @Sendable (_ receiver: @escaping @Sendable (DelegateAnswer<Value>) -> Void) -> Void

  /// Makes the offers in order until a delegate implements the method; `standard` is the answer if none does.
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

  /// Asks the same question of each delegate in turn until one implements the method.
  func decide<Value>(
    _ ask: @escaping @Sendable (DelegateMessages, @escaping @Sendable (DelegateAnswer<Value>) -> Void) -> Void,
    standard: @escaping @Sendable () -> Value, then: @escaping @Sendable (Value) -> Void
  ) {
    let offers: [Offer<Value>] = links.map { link in { receiver in ask(link, receiver) } }
    Self.decide(offers[...], standard: standard, then: then)
  }
}
