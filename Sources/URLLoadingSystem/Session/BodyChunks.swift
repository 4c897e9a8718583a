import Foundation
import LoadingEngine
import LoadingModel
import NIOCore

/// The body of a `bytes(for:)` load between the event loop, which appends received pieces, and the reader: a bounded buffer.
///
/// Thread-safe. The load is cancelled when the last sequence and iterator over the body are released.
final class BodyChunks: ByteChunkSource {
  private enum Phase {
    case awaitingResponse
    case body
    case ended((any Error)?)
  }

  private struct State {
    var phase = Phase.awaitingResponse
    var response: URLResponse?
    var chunks = CircularBuffer<Data>(initialCapacity: 1)
    var bytes = 0
    var responseReader: CheckedContinuation<URLResponse, any Error>?
    var readers: [CheckedContinuation<Void, Never>] = []
    var room: AppWait<Void>?
    var onCancel: (@Sendable () -> Void)?
  }

  private let window: Int
  private let state = Mutex(State())

  init(window: Int) { self.window = window }

  // MARK: The load's side

  func deliver(_ response: URLResponse) {
    let reader = state.withLock { state -> CheckedContinuation<URLResponse, any Error>? in
      state.phase = .body
      state.response = response
      defer { state.responseReader = nil }
      return state.responseReader
    }
    reader?.resume(returning: response)
  }

  /// Appends a received piece and wakes the readers. Returns false if the buffer is full: `waitForRoom` then tells when the load may read on.
  func deliver(_ data: Data) -> Bool {
    let (readers, hasRoom) = state.withLock { state -> ([CheckedContinuation<Void, Never>], Bool) in
      state.chunks.append(data)
      state.bytes += data.count
      defer { state.readers = [] }
      return (state.readers, state.bytes < window)
    }
    for reader in readers { reader.resume() }
    return hasRoom
  }

  func waitForRoom(_ wait: AppWait<Void>) {
    let hasRoom = state.withLock { state in
      if state.bytes < window { return true }
      state.room = wait
      return false
    }
    if hasRoom { wait.answer(()) }
  }

  func finish(_ error: (any Error)?) {
    let (responseReader, readers) = state.withLock { state in
      state.phase = .ended(error)
      defer {
        state.responseReader = nil
        state.readers = []
      }
      return (state.responseReader, state.readers)
    }
    responseReader?.resume(throwing: error ?? URLError(.unknown))
    for reader in readers { reader.resume() }
  }

  // MARK: The reader's side

  func response() async throws -> URLResponse {
    try await withCheckedThrowingContinuation { continuation in
      let known = state.withLock { state -> Result<URLResponse, any Error>? in
        if let response = state.response { return .success(response) }
        if case .ended(let error) = state.phase { return .failure(error ?? URLError(.unknown)) }
        state.responseReader = continuation
        return nil
      }
      if let known { continuation.resume(with: known) }
    }
  }

  func nextChunk(isolation: isolated (any Actor)?) async throws -> Data? {
    while true {
      if let chunk = take() { return chunk }
      if case .some(let end) = end { return try end.get() }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isReady = state.withLock { state in
            if !state.chunks.isEmpty { return true }
            if case .ended = state.phase { return true }
            state.readers.append(continuation)
            return false
          }
          if isReady { continuation.resume() }
        }
      } onCancel: {
        cancel()
      }
    }
  }

  private func take() -> Data? {
    let (chunk, room) = state.withLock { state -> (Data?, AppWait<Void>?) in
      guard !state.chunks.isEmpty else { return (nil, nil) }
      let chunk = state.chunks.removeFirst()
      state.bytes -= chunk.count
      guard state.bytes <= window / 2 else { return (chunk, nil) }
      defer { state.room = nil }
      return (chunk, state.room)
    }
    room?.answer(())
    return chunk
  }

  /// Bytes that have arrived while no reader waits for them; 0 if one does.
  var unread: Int { state.withLock { $0.readers.isEmpty ? $0.bytes : 0 } }

  /// The end of the body as a reader gets it, an error or nil, once every piece has been read; nil before.
  private var end: Result<Data?, any Error>? {
    state.withLock { state in
      guard case .ended(let error) = state.phase, state.chunks.isEmpty else { return nil }
      return error.map { .failure($0) } ?? .success(nil)
    }
  }

  /// Sets the action that `cancel()` runs: it cancels the load's task.
  func onCancel(_ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.onCancel = action }
  }

  func cancel() {
    let action = state.withLock { $0.onCancel }
    action?()
  }
}

/// Cancels a `bytes(for:)` load when the last sequence or iterator that could read it is released.
final class ReaderPresence: Sendable {
  private let chunks: BodyChunks
  init(_ chunks: BodyChunks) { self.chunks = chunks }
  deinit { chunks.cancel() }
}
