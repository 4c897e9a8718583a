/// One question to one delegate: a method that owes an answer, in whichever spelling its class implements.
///
/// A value made per question; used on the thread that sends the message. The answer may come on any thread.
struct DelegateQuestion<Value>: Sendable {
  typealias Receiver = @Sendable (DelegateAnswer<Value>) -> Void

  let delegate: any URLSessionDelegate
  let traits: DelegateTraits
  let method: DelegateMethod
  /// The answer of an absent method.
  let standard: @Sendable () -> Value
  /// The answer of a dropped completion handler: the one that commits to nothing.
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

  /// Puts the question. `plain` and `async` call the two spellings; only one that the class implements gets to run app code.
  ///
  /// An answer of `.notImplemented` is given before this returns.
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

  /// Tries the plain spelling; false, with nothing answered, if the class does not have it.
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

  /// Asks the `async` spelling. The task starts on this very thread, so that a default implementation is found out before this returns;
  /// what is found out is remembered, and a class without the method never costs a task again.
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
  /// A dispatcher that only probes gets no answer; a call from elsewhere gets the `async` spelling's, or else the standard one.
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

  /// The body of a default implementation in the `async` spelling.
  ///
  /// The plain spelling is called under a probe: should it be a default too, it does not come back here.
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
