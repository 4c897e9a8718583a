import Foundation
import HTTPTransport
import LoadingModel

/// The app's code around loads: is given the request, has requests sent by `Interception.send`, as often as it likes, and says what the
/// response is.
package typealias Interceptor = @Sendable (LoadRequest, Interception) async throws(LoadError) -> InterceptedAnswer

/// What an interceptor makes the response of its load.
package enum InterceptedAnswer: Sendable {
  /// What `Interception.send` has returned.
  case received(InterceptedHead)
  /// The app's own response, and its body.
  case made(LoadResponse, Data)
}

/// A response whose body waits to be read.
package struct InterceptedHead: Sendable {
  package let response: LoadResponse
  /// Which of the load's it is, counted from 1: those before the last have no body any more.
  let number: Int
}

/// What a load and the app's code around it say to each other: the code runs in a Swift task of its own, off the event loop, and asks the load
/// to send; the load waits for what it asks.
///
/// Owned by the load. Any thread.
package final class Interception: Sendable {
  /// What the app's code wants.
  enum Event: Sendable {
    /// Requests are numbered from 1.
    case send(LoadRequest, number: Int)
    case end(Result<InterceptedAnswer, LoadError>)
  }

  private typealias Reply = UnsafeContinuation<Result<InterceptedHead, LoadError>, Never>

  private struct State {
    /// What the load hasn't taken yet: what was to be sent by code that isn't waited for any more, and the end.
    var events: [Event] = []
    /// The load, while it waits for an event.
    var wait: AppWait<Event>?
    /// The app's code, while it waits for a response.
    var reply: Reply?
    /// Whether it does, or is about to.
    var isAwaited = false
    /// The number of the request that the app's code has had sent last, and of the one that the load is at.
    var (number, running) = (0, 0)
    /// The last one whose call was cancelled.
    var cancelled = 0
    var isOver = false
  }

  private let state = Mutex(State())
  private let interrupt: @Sendable (Interception, _ number: Int) -> Void

  /// - Parameter interrupt: The call for a request was cancelled, at which the load is: it is to be ended (`isRunning`). Called on any thread.
  package init(_ interrupt: @escaping @Sendable (Interception, _ number: Int) -> Void) { self.interrupt = interrupt }

  // MARK: the app's side

  /// Has a request sent, and returns the response's head. The body of the response before it is discarded.
  /// - Throws: What the load has come to: the interceptor may still answer, or send again. `cancelled` once the load is over, and where the
  ///   calling Swift task is cancelled: then what the request has come to is ended.
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

  /// The number of a request that is about to be sent.
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

  /// Nothing waits for the response to this request any more.
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

  /// The app's code has come to its end.
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

  /// Waits for what the app's code wants. Throws what interrupted the load.
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

  /// Whether the load is at this request.
  func isRunning(_ number: Int) -> Bool { state.withLock { $0.running == number } }

  /// The load is at this request from now on.
  /// - Returns: Whether its response is waited for.
  func begins(_ number: Int) -> Bool {
    state.withLock { state in
      state.running = number
      return state.cancelled != number
    }
  }

  /// What has become of the request that the app's code had sent.
  func reply(_ result: Result<InterceptedHead, LoadError>, to number: Int) {
    let reply = state.withLock { state -> Reply? in
      state.running = 0
      // A legal race: its call was cancelled, and the app's code waits for another.
      guard state.number == number else { return nil }
      defer { (state.reply, state.isAwaited) = (nil, false) }
      return state.reply
    }
    reply?.resume(returning: result)
  }

  /// Nothing is sent any more.
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
