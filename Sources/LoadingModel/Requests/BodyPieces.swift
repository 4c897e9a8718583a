import Foundation

/// A request body that the app's code produces piece by piece while it is sent, such as from an async sequence. Equal by identity.
///
/// Used from any thread. A body that can't be produced again is sent only once: a request whose body has been begun can't be repeated.
package final class BodyPieces: Sendable {
  /// Hands over the next piece and waits until another is wanted; false if no more is wanted.
  package typealias Take = @Sendable (Data) async -> Bool

  private struct State {
    var isBegun = false
    var failure: (any Error)?
    /// How many Swift tasks are producing the body at the moment.
    var running = 0
    var waiters: [UnsafeContinuation<Void, Never>] = []
  }

  /// The length of the body in bytes; nil if unknown.
  package let length: Int64?
  /// Makes the trailer fields, once the body has been sent; nil if there are none.
  package let trailers: (@Sendable () async throws -> HeaderFields)?
  private let isRepeatable: Bool
  private let produce: @Sendable (@escaping Take) async throws -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - length: The length of the body in bytes, which must then be produced exactly; nil if unknown.
  ///   - isRepeatable: Whether `produce` may run more than once, with the same pieces each time.
  ///   - trailers: Makes the trailer fields; called at the end of the body each time it is produced. nil if there are none.
  ///   - produce: Passes each piece to its argument, and returns at the end of the body. It is cancelled when no more bytes are wanted.
  package init(
    length: Int64?, isRepeatable: Bool, trailers: (@Sendable () async throws -> HeaderFields)? = nil,
    produce: @escaping @Sendable (@escaping Take) async throws -> Void
  ) {
    self.length = length.map { max(0, $0) }
    self.isRepeatable = isRepeatable
    self.trailers = trailers
    self.produce = produce
  }

  /// Whether the body can be produced: for the first time, or again.
  package var canBegin: Bool { state.withLock { isRepeatable || !$0.isBegun } }

  /// The error that the app's code has thrown while it produced the body; nil if there is none.
  package var failure: (any Error)? { state.withLock { $0.failure } }

  package func fail(_ error: any Error) { state.withLock { $0.failure = error } }

  /// Notes that a Swift task which produces the body has begun; `leave` notes its end.
  package func enter() { state.withLock { $0.running += 1 } }

  /// Notes that a Swift task which produces the body has ended.
  package func leave() {
    let waiters = state.withLock { state in
      state.running -= 1
      defer { if state.running == 0 { state.waiters = [] } }
      return state.running == 0 ? state.waiters : []
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until no Swift task produces the body any more.
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

  /// Produces the body by the app's code, which passes each piece to `take`.
  /// - Throws: The error that the app's code throws.
  package func run(_ take: @escaping Take) async throws {
    state.withLock { state in
      state.isBegun = true
      state.failure = nil
    }
    try await produce(take)
  }
}
