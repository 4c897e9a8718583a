import Foundation
import HTTPTransport
import LoadingModel

/// Code of the app that runs around each load: it gets the request, sends requests by `Interception.send`, as often as it likes, and returns the
/// response of the load.
package typealias Interceptor = @Sendable (LoadRequest, Interception) async throws(LoadError) -> InterceptedAnswer

/// The response that an interceptor gives its load.
package enum InterceptedAnswer: Sendable {
  /// A response that `Interception.send` has returned.
  case received(InterceptedHead)
  /// A response that the app has made itself, with its body.
  case made(LoadResponse, Data)
}

/// The head of a response whose body hasn't been read yet.
package struct InterceptedHead: Sendable {
  package let response: LoadResponse
  /// The number of the request in its load, counted from 1. Only the response to the last request still has its body.
  let number: Int
}

/// The conversation between a load and the app's interceptor: the interceptor runs in a Swift task of its own, off the event loop, and asks the
/// load to send requests; the load waits for these events.
///
/// Owned by the load. Any thread.
package final class Interception: Sendable {
  /// An event from the interceptor: a request to send, or its end.
  enum Event: Sendable {
    /// The interceptor wants this request to be sent; requests are numbered from 1.
    case send(LoadRequest, number: Int)
    case end(Result<InterceptedAnswer, LoadError>)
  }

  private typealias Reply = UnsafeContinuation<Result<InterceptedHead, LoadError>, Never>

  private struct State {
    /// Events that the load hasn't taken yet: requests that the interceptor sends after its load has stopped waiting, and its end.
    var events: [Event] = []
    /// The load's wait for the next event; nil while it doesn't wait.
    var wait: AppWait<Event>?
    /// The interceptor's wait for a response; nil while it doesn't wait.
    var reply: Reply?
    /// Whether the interceptor waits for a response, or is about to.
    var isAwaited = false
    /// `number`: the last request that the interceptor has sent. `running`: the one that the load is sending; 0 for none.
    var (number, running) = (0, 0)
    /// The number of the last request whose call of `send` was cancelled.
    var cancelled = 0
    var isOver = false
  }

  private let state = Mutex(State())
  private let interrupt: @Sendable (Interception, _ number: Int) -> Void

  /// - Parameter interrupt: Ends the request with this number, whose call of `send` was cancelled, if the load is sending it (`isRunning`).
  ///   Called on any thread.
  package init(_ interrupt: @escaping @Sendable (Interception, _ number: Int) -> Void) { self.interrupt = interrupt }

  // MARK: the interceptor's side

  /// Sends a request and returns the head of its response. The body of the response before it is discarded.
  /// - Throws: The error of the request: the interceptor may still return a response, or send again. `cancelled` once the load is over, and if
  ///   the calling Swift task is cancelled: then the request is ended.
  package func send(_ request: LoadRequest) async throws(LoadError) -> InterceptedHead {
    let number = try begin()
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: Reply) in
        let isWanted = state.withLock { state in
          guard !state.isOver, state.cancelled != number else {
            state.isAwaited = false
            return false
          }
          state.reply = continuation
          return true
        }
        if isWanted { tell(.send(request, number: number)) } else { continuation.resume(returning: .failure(.cancelled())) }
      }
    } onCancel: {
      cancel(number)
    }
    return try result.get()
  }

  /// Allots a number to a request that is about to be sent.
  private func begin() throws(LoadError) -> Int {
    try state.withLock { state throws(LoadError) in
      guard !state.isOver else { throw .cancelled() }
      guard !state.isAwaited else {
        throw LoadError(
          .unknown, .admission, "an interceptor sends while an earlier request of the same load is under way: wait for its response first")
      }
      state.isAwaited = true
      state.number += 1
      return state.number
    }
  }

  /// Ends the request with this number, because the Swift task that called `send` for it was cancelled.
  private func cancel(_ number: Int) {
    let (reply, isRunning) = state.withLock { state -> (Reply?, Bool) in
      guard state.number == number else { return (nil, false) }
      state.cancelled = number
      guard let reply = state.reply else { return (nil, false) }
      (state.reply, state.isAwaited) = (nil, false)
      state.events.removeAll { if case .send(_, number) = $0 { true } else { false } }
      return (reply, !state.isOver)
    }
    if isRunning { interrupt(self, number) }
    reply?.resume(returning: .failure(.cancelled()))
  }

  /// Notes that the interceptor has ended, with its result.
  func end(_ result: Result<InterceptedAnswer, LoadError>) { tell(.end(result)) }

  private func tell(_ event: Event) {
    let wait = state.withLock { state -> AppWait<Event>? in
      guard let wait = state.wait else {
        if !state.isOver { state.events.append(event) }
        return nil
      }
      state.wait = nil
      return wait
    }
    wait?.answer(event)
  }

  // MARK: the load's side

  /// Waits for the interceptor's next event. Throws the error that interrupted the load.
  func event(_ context: LoadContext) async throws(LoadError) -> Event {
    try await AppWait<Event>.ask(context) { wait in
      let event = state.withLock { state -> Event? in
        if !state.events.isEmpty { return state.events.removeFirst() }
        state.wait = wait
        return nil
      }
      if let event { wait.answer(event) }
    }
  }

  /// Whether the load is sending the request with this number.
  func isRunning(_ number: Int) -> Bool { state.withLock { $0.running == number } }

  /// Notes that the load is sending the request with this number from now on.
  /// - Returns: Whether the interceptor still waits for its response.
  func begins(_ number: Int) -> Bool {
    state.withLock { state in
      state.running = number
      return state.cancelled != number
    }
  }

  /// Passes the response or the error of a request to the interceptor.
  func reply(_ result: Result<InterceptedHead, LoadError>, to number: Int) {
    let reply = state.withLock { state -> Reply? in
      state.running = 0
      // The call of `send` may have been cancelled just before, on another thread; the interceptor then waits for a later request, if any, and
      // this reply is dropped.
      guard state.number == number else { return nil }
      defer { (state.reply, state.isAwaited) = (nil, false) }
      return state.reply
    }
    reply?.resume(returning: result)
  }

  /// Ends the conversation: a waiting call of `send` fails, and no further request is sent.
  func close() {
    let reply = state.withLock { state in
      state.isOver = true
      state.wait = nil
      state.events = []
      defer { state.reply = nil }
      return state.reply
    }
    reply?.resume(returning: .failure(.cancelled()))
  }
}
