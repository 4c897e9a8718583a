import Foundation
import LoadingModel
import NIOCore

/// Reads a body that the app's code produces. That code runs in a Swift task of its own, off the event loop, and is at most one piece ahead.
///
/// Owned by the load that sends the body.
final class PiecesReader: BodyReader, @unchecked Sendable {
  // @unchecked: `rest` is used by `next` alone, one call at a time; the other fields are immutable or behind a mutex.
  private enum Arrival: Sendable {
    case piece(Data)
    case end
    case failed
  }

  private struct State {
    var piece: Data?
    /// How the body ended; nil while it continues.
    var end: Arrival?
    var trailers = HeaderFields()
    var taker: UnsafeContinuation<Arrival, Never>?
    var giver: UnsafeContinuation<Bool, Never>?
    var producer: Task<Void, Never>?
  }

  private let pieces: BodyPieces
  private let state = Mutex(State())
  /// The unread bytes of a piece that is larger than one `next` returns.
  private var rest: DataReader?

  init(_ pieces: BodyPieces) { self.pieces = pieces }

  deinit { abandon() }

  func next() async throws(LoadError) -> ByteBuffer? {
    if let rest, let part = try await rest.next() { return part }
    begin()
    switch await arrival() {
    case .piece(let data):
      let reader = DataReader(data)
      rest = reader
      return try await reader.next()
    case .end: return nil
    case .failed:
      throw LoadError(.requestBodyStreamExhausted, .send, "the code that produces the request's body has thrown an error")
    }
  }

  /// Whether trailer fields may follow the body.
  var hasTrailers: Bool { pieces.trailers != nil }

  /// The trailer fields, once `next` has returned nil.
  var trailers: HeaderFields { state.withLock { $0.trailers } }

  func abandon() {
    let (taker, giver, producer) = state.withLock { state in
      defer { (state.taker, state.giver, state.producer, state.piece) = (nil, nil, nil, nil) }
      state.end = state.end ?? .end
      return (state.taker, state.giver, state.producer)
    }
    producer?.cancel()
    giver?.resume(returning: false)
    taker?.resume(returning: .end)
  }

  func interrupt() { abandon() }

  /// Starts the app's code at the first call.
  private func begin() {
    let mustStart = state.withLock { $0.producer == nil && $0.end == nil }
    guard mustStart else { return }
    // The app's code may take long: it must not run on the event loop, which the calling task prefers.
    pieces.enter()
    let producer = Task(executorPreference: globalConcurrentExecutor) { [pieces, weak self] in
      defer { pieces.leave() }
      do {
        try await pieces.run { [weak self] data in await self?.give(data) ?? false }
        if let makeTrailers = pieces.trailers, self?.isWanted ?? false {
          let trailers = try await makeTrailers()
          self?.state.withLock { $0.trailers = trailers }
        }
        self?.finish(.end)
      } catch {
        self?.fail(error)
      }
    }
    let isWanted = state.withLock { state in
      if state.end == nil { state.producer = producer }
      return state.end == nil
    }
    if !isWanted { producer.cancel() }
  }

  private func arrival() async -> Arrival {
    await withUnsafeContinuation { continuation in
      let (arrival, giver) = state.withLock { state -> (Arrival?, UnsafeContinuation<Bool, Never>?) in
        if let piece = state.piece {
          defer { (state.piece, state.giver) = (nil, nil) }
          return (.piece(piece), state.giver)
        }
        if let end = state.end { return (end, nil) }
        state.taker = continuation
        return (nil, nil)
      }
      giver?.resume(returning: true)
      if let arrival { continuation.resume(returning: arrival) }
    }
  }

  /// Called by the app's code with a piece: true once the piece has been taken and the code may continue; false if no more is wanted.
  private func give(_ data: Data) async -> Bool {
    guard !data.isEmpty else { return state.withLock { $0.end == nil } }
    return await withUnsafeContinuation { continuation in
      let (taker, answer) = state.withLock { state -> (UnsafeContinuation<Arrival, Never>?, Bool?) in
        guard state.end == nil, state.piece == nil else { return (nil, false) }
        if let taker = state.taker {
          state.taker = nil
          return (taker, true)
        }
        state.piece = data
        state.giver = continuation
        return (nil, nil)
      }
      taker?.resume(returning: .piece(data))
      if let answer { continuation.resume(returning: answer) }
    }
  }

  private var isWanted: Bool { state.withLock { $0.end == nil } }

  /// Ends the body with an error of the app's code. It isn't kept if the body had ended before: then the code throws because it was cancelled.
  private func fail(_ error: any Error) {
    if state.withLock({ $0.end == nil }) { pieces.fail(error) }
    finish(.failed)
  }

  private func finish(_ end: Arrival) {
    let taker = state.withLock { state -> UnsafeContinuation<Arrival, Never>? in
      state.producer = nil
      guard state.end == nil else { return nil }
      state.end = end
      defer { state.taker = nil }
      return state.taker
    }
    taker?.resume(returning: end)
  }
}
