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
    case send(LoadRequest)
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
    var isOver = false
  }

  private let state = Mutex(State())

  package init() {}

  // MARK: the app's side

  /// Has a request sent, and returns the response's head. The body of the response before it is discarded.
  /// - Throws: What the load has come to: the interceptor may still answer, or send again. `cancelled` once the load is over.
  package func send(_ request: LoadRequest) async throws(LoadError) -> InterceptedHead {
    let result = await withUnsafeContinuation { (continuation: Reply) in
      let refusal = state.withLock { state -> LoadError? in
        guard !state.isOver else { return .cancelled() }
        guard state.reply == nil else {
          return LoadError(
            .unknown, .admission, "an interceptor sends while an earlier request of the same load is under way: wait for its response first"
          )
        }
        state.reply = continuation
        return nil
      }
      guard let refusal else { return tell(.send(request)) }
      continuation.resume(returning: .failure(refusal))
    }
    return try result.get()
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

  /// What has become of the request that the app's code had sent.
  func reply(_ result: Result<InterceptedHead, LoadError>) {
    let reply = state.withLock { state in
      defer { state.reply = nil }
      return state.reply
    }
    reply?.resume(returning: result)
  }

  /// Nothing is sent any more.
  func close() {
    state.withLock { state in
      state.isOver = true
      state.wait = nil
      state.events = []
    }
    reply(.failure(.cancelled()))
  }
}
