import Foundation

/// A request body that the app's code produces piece by piece while it is sent, such as an async sequence. Equal by identity.
///
/// Any thread. What can't be produced again is sent once: a request whose body has been begun can't be repeated.
package final class BodyPieces: Sendable {
  /// Hands over a piece and waits until the next is wanted; false if none is wanted any more.
  package typealias Take = @Sendable (Data) async -> Bool

  private struct State {
    var isBegun = false
    var failure: (any Error)?
    /// Times that it is being produced.
    var running = 0
    var waiters: [UnsafeContinuation<Void, Never>] = []
  }

  /// Bytes in all; nil if that isn't known.
  package let length: Int64?
  /// Makes the fields that follow the body, once that has been sent; nil where none follow.
  package let trailers: (@Sendable () async throws -> HeaderFields)?
  private let isRepeatable: Bool
  private let produce: @Sendable (@escaping Take) async throws -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - length: Bytes in all, if known: then as many must come.
  ///   - isRepeatable: Whether `produce` may run more than once, with the same pieces each time.
  ///   - trailers: Makes the fields that follow the body; called at its end, each time it is produced.
  ///   - produce: Hands each piece to its argument, and returns at the end of the body. It is cancelled when the rest isn't wanted.
  package init(
    length: Int64?, isRepeatable: Bool, trailers: (@Sendable () async throws -> HeaderFields)? = nil,
    produce: @escaping @Sendable (@escaping Take) async throws -> Void
  ) {
    self.length = length.map { max(0, $0) }
    self.isRepeatable = isRepeatable
    self.trailers = trailers
    self.produce = produce
  }

  /// Whether the body has to be produced for the first time, or can be once more.
  package var canBegin: Bool { state.withLock { isRepeatable || !$0.isBegun } }

  /// The error of the app's code that has ended the body.
  package var failure: (any Error)? { state.withLock { $0.failure } }

  package func fail(_ error: any Error) { state.withLock { $0.failure = error } }

  /// A Swift task that produces the body is made.
  package func enter() { state.withLock { $0.running += 1 } }

  /// That task has ended.
  package func leave() {
    let waiters = state.withLock { state in
      state.running -= 1
      defer { if state.running == 0 { state.waiters = [] } }
      return state.running == 0 ? state.waiters : []
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns when no code of the app's produces the body any more.
  package func waitUntilIdle() async {
    await withUnsafeContinuation { continuation in
      let isIdle = state.withLock { state in
        guard state.running > 0 else { return true }
        state.waiters.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Produces the body.
  /// - Throws: What the app's code throws.
  package func run(_ take: @escaping Take) async throws {
    state.withLock { state in
      state.isBegun = true
      state.failure = nil
    }
    try await produce(take)
  }
}
