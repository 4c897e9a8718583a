import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

/// Runs the app's interceptors around a load: once, around everything below, such as redirects, challenges, the cache and repetitions.
///
/// Their code runs in a Swift task of its own, off the event loop; the load waits for it as for any answer of the app, and a response's body
/// stays unread meanwhile. An interruption of the load cancels that task without waiting for it.
struct InterceptionStage: Stage {
  let interceptor: Interceptor

  /// A stream has no request; and a load that only validates the cache repeats a request that has been intercepted before.
  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool {
    if case .stream = load.kind { return true }
    return load.client.readsForStoreAlone
  }

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    if passes(request, context, next.load) { return try await next(request, context) }
    let interception = Interception { interception, number in
      context.eventLoop.execute {
        // Between the cancellation and this moment, the response may have come, or the load may have begun another request: then nothing is
        // interrupted.
        if interception.isRunning(number) { context.interruptAttempt(.cancelled()) }
      }
    }
    // The app's code may take long: it must not run on the event loop, which the load's task prefers.
    let code = Task(executorPreference: globalConcurrentExecutor) { [interceptor] in
      do throws(LoadError) {
        interception.end(.success(try await interceptor(request, interception)))
      } catch {
        interception.end(.failure(error))
      }
    }
    defer {
      code.cancel()
      interception.close()
    }
    var attempts = InterceptedAttempts(request, next)
    do throws(LoadError) {
      while true {
        switch try await interception.event(context) {
        case .send(let request, let number):
          guard interception.begins(number) else { continue }
          let result = await attempts.send(request)
          interception.reply(result, to: number)
          context.forgive()
        case .end(let result): return try await attempts.answer(try result.get())
        }
      }
    } catch {
      attempts.abandon()
      throw error
    }
  }
}

/// The requests that an interceptor has had sent for one load, and the last response. Confined to the load.
private struct InterceptedAttempts {
  private let next: Next
  /// The task's own request.
  private let original: LoadRequest
  /// The request that was sent last; at first the task's own.
  private var request: LoadRequest
  private var count = 0
  /// The last response, as long as its body can be read; nil before and afterwards.
  private var held: Loaded?
  /// The error of the last request, if it has failed.
  private var failure: LoadError?
  /// The number of redirects that earlier requests have followed.
  private var redirects = 0

  private var context: LoadContext { next.load.context }

  init(_ request: LoadRequest, _ next: Next) {
    (original, self.request, self.next) = (request, request, next)
  }

  mutating func abandon() {
    held?.body.abandon()
    held = nil
  }

  mutating func send(_ wanted: LoadRequest) async -> Result<InterceptedHead, LoadError> {
    do throws(LoadError) {
      return .success(try await head(of: fitted(wanted)))
    } catch {
      failure = error
      return .failure(error)
    }
  }

  /// The request with the upload's own body, for an upload that can be resumed: bytes sent before must belong to the same body.
  private func fitted(_ wanted: LoadRequest) -> LoadRequest {
    guard next.load.upload != nil, !wanted.isIdentical(to: original) else { return wanted }
    var fitted = wanted
    fitted.mutate { $0.body = original.body }
    return fitted
  }

  private mutating func head(of wanted: LoadRequest) async throws(LoadError) -> InterceptedHead {
    if context.isSuspended { try await context.waitWhileSuspended() }
    if count > 0 {
      try await closeAttempt()
      context.beginTransaction(wanted)
      next.load.beginAgain()
    } else if !wanted.isIdentical(to: request) {
      context.record.request = wanted
    }
    if !wanted.isIdentical(to: request) { next.client.requestChanged(wanted) }
    context.noteActivity()
    (request, failure) = (wanted, nil)
    count += 1
    let loaded = try await next(wanted, context)
    let response = loaded.response
    held = loaded
    return InterceptedHead(response: response, number: count)
  }

  /// Ends the last attempt, because another request is sent: its response is discarded.
  private mutating func closeAttempt() async throws(LoadError) {
    redirects += next.load.redirectCount
    if let failure { context.observer?.willRepeat(after: .error(failure)) }
    guard let loaded = held else { return }
    held = nil
    if let status = loaded.response.status, status != 401 { context.observer?.willRepeat(after: .status(status)) }
    try await discard(loaded)
  }

  private func discard(_ loaded: Loaded) async throws(LoadError) {
    // A WebSocket has no body: its connection is given up.
    if case .webSocket = next.load.kind { loaded.body.abandon() } else { try await loaded.discardBody(context) }
    note(loaded)
  }

  /// Notes a response in the record that the app won't get.
  private func note(_ loaded: Loaded) {
    if !loaded.response.isAbsent { context.record.response = loaded.response }
    if context.record.responseEnd == nil { context.record.responseEnd = context.clock.now }
  }

  /// The response with which the load ends: one received, whose body is still unread, or one that the app made.
  mutating func answer(_ answer: InterceptedAnswer) async throws(LoadError) -> Loaded {
    switch answer {
    case .received(let head):
      guard let loaded = held, head.number == count else {
        throw LoadError(
          .badServerResponse, .delivery,
          "an interceptor has returned a response whose body was discarded when it sent again: return the last one, or one of its own")
      }
      held = nil
      next.load.redirectCount += redirects
      return loaded
    case .made(let response, let body):
      if let loaded = held {
        held = nil
        // The app has made its own response: the rest of the server's isn't read.
        loaded.body.abandon()
        note(loaded)
      }
      if count > 0 { context.beginTransaction(request) }
      next.load.exchange = nil
      next.load.redirectCount += redirects
      return Loaded(response: response, body: DataReader(body), framing: .length(Int64(body.count)))
    }
  }
}
