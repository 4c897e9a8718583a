/// One question to one delegate: a method with an answer, in the form that its class implements, with a completion handler or `async`.
///
/// A value made for each question; used on the thread that calls the method. The answer may come on any thread.
struct DelegateQuestion<Value>: Sendable {
  typealias Receiver = @Sendable (DelegateAnswer<Value>) -> Void

  let delegate: any URLSessionDelegate
  let traits: DelegateTraits
  let method: DelegateMethod
  /// The answer if the method is absent.
  let standard: @Sendable () -> Value
  /// The answer if the completion handler is released without being called: the one that commits to nothing, such as cancelling.
  let declined: @Sendable () -> Value

  init(
    _ method: DelegateMethod, to delegate: any URLSessionDelegate, standard: @escaping @Sendable () -> Value,
    declined: @escaping @Sendable () -> Value
  ) {
    self.delegate = delegate
    self.traits = DelegateTraits.of(delegate)
    self.method = method
    self.standard = standard
    self.declined = declined
  }

  /// Asks the delegate. `plain` and `async` call the two forms of the method; only the form that the class implements runs code of the app's.
  ///
  /// `.notImplemented` is given before this returns.
  func ask(
    plain: (@escaping @Sendable (Value) -> Void) -> Void,
    async: @escaping @Sendable () async -> Value,
    receiver: @escaping Receiver
  ) {
    switch traits.spelling(of: method) {
    case .absent: receiver(.notImplemented)
    case .asynchronous: askAsync(async, receiver: receiver)
    case .plain:
      let pending = PendingAnswer(method, of: delegate, declined: declined, receiver: receiver)
      plain { pending.resolve($0) }
    case .unknown:
      guard !askPlain(plain, receiver: receiver) else { return }
      askAsync(async, receiver: receiver)
    }
  }

  /// Tries the form with a completion handler; returns false, without an answer, if the class doesn't implement that.
  private func askPlain(_ plain: (@escaping @Sendable (Value) -> Void) -> Void, receiver: @escaping Receiver) -> Bool {
    let pending = PendingAnswer(method, of: delegate, declined: declined, receiver: receiver)
    let isDefault = DelegateProbe.reachesDefault(delegate, method) {
      plain { pending.resolve($0) }
    }
    guard isDefault else {
      traits.learn(method, .plain)
      return true
    }
    _ = pending.withdraw()
    return false
  }

  /// Calls the `async` form. Its Swift task starts on this thread, so that a default implementation is noticed before this returns. What the class
  /// implements is remembered: the next time, a class without the method costs no task.
  private func askAsync(_ call: @escaping @Sendable () async -> Value, receiver: @escaping Receiver) {
    let note = HeldRecording.note(method, to: delegate, isAsync: true)
    guard traits.spelling(of: method) == .unknown else {
      Task.immediate {
        let value = await call()
        HeldRecording.forget(note)
        receiver(.answered(value))
      }
      return
    }
    let (probe, traits, method) = (AsyncDelegateProbe(delegate, method), traits, method)
    Task.immediate {
      let value = await probe.listen(to: call)
      HeldRecording.forget(note)
      if probe.reachedDefault {
        traits.learn(method, .absent)
        receiver(.notImplemented)
      } else {
        receiver(.answered(value))
      }
    }
    if !probe.reachedDefault { traits.learn(method, .asynchronous) }
  }
}

extension DelegateQuestion {
  /// The body of a default implementation with a completion handler.
  ///
  /// If a probe called it, it gives no answer; any other caller gets the answer of the `async` form, or the standard one if that is absent as well.
  func answerFromDefault(async: @escaping @Sendable () async -> Value, completion: @escaping @Sendable (Value) -> Void) {
    if DelegateProbe.noteDefault(delegate, method) { return }
    guard !traits.isAbsent(method) else { return completion(standard()) }
    askAsync(async) { answer in
      switch answer {
      case .answered(let value): completion(value)
      case .notImplemented: completion(standard())
      }
    }
  }

  /// The body of an `async` default implementation.
  ///
  /// It calls the form with a completion handler under a probe, so that a default implementation of that form doesn't call back here.
  nonisolated(nonsending) func answerFromAsyncDefault(plain: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
    if AsyncDelegateProbe.noteDefault(delegate, method) { return standard() }
    guard !traits.isAbsent(method) else { return standard() }
    let answer: Transferred<Value> = await withUnsafeContinuation { continuation in
      let isAsked = askPlain(plain) { answer in
        if case .answered(let value) = answer { continuation.resume(returning: Transferred(value)) }
      }
      if !isAsked {
        traits.learn(method, .absent)
        continuation.resume(returning: Transferred(standard()))
      }
    }
    return answer.value
  }
}
