import Foundation
import HTTPTransport
import LoadingModel
import NIOCore

/// A body stream of the library's own. Its methods are thread-safe, and closing it ends a read that waits on another thread.
package protocol WakingStream: InputStream {
  /// Calls `act` once, on any thread, as soon as a read of the open stream would return without waiting: with bytes, the end or an error.
  func whenReadable(_ act: @escaping @Sendable () -> Void)
}

/// Reads an `InputStream` off the event loop, because its calls may block. Confined to its load but for `interrupt` and `abandon`.
final class StreamReader: BodyReader, @unchecked Sendable {
  // @unchecked: `state` is a mutex. An app's stream is used by one call at a time, on a thread of `BlockingThreads.bodies`: `next` waits for each,
  // and `deinit` comes after the last. The library's own streams are thread-safe.
  private static let pieceSize = 64 * 1024

  private enum Outcome: Sendable {
    case bytes(ByteBuffer)
    case end
    case failed
  }

  private struct State {
    var hasBegun = false
    var isOver = false
  }

  private let stream: InputStream
  private let waking: (any WakingStream)?
  private let begun: BegunStreams
  private let state = Mutex(State())

  init(_ stream: InputStream, _ begun: BegunStreams) {
    self.stream = stream
    self.begun = begun
    waking = stream as? any WakingStream
  }

  /// The reader of a stream that the app has supplied; nil if that can't be read any more, or it isn't a stream.
  static func fresh(_ supplied: LoadRequest.Body?, _ load: Load) async throws(LoadError) -> StreamReader? {
    guard case .stream(let stream)? = supplied else { return nil }
    let reader = StreamReader(stream, load.begunStreams)
    return try await reader.isFresh(load.context) ? reader : nil
  }

  /// Whether the stream can be read from its first byte: neither this load nor the app has begun to read it.
  func isFresh(_ context: LoadContext) async throws(LoadError) -> Bool {
    if begun.contains(stream) { return false }
    if let waking { return waking.streamStatus == .notOpen }
    return try await AppWait<Bool>.disk(context) { [self] in await call { $0.streamStatus == .notOpen } }
  }

  /// Whether `interrupt` or `abandon` has ended the reading before the stream's end.
  var isOver: Bool { state.withLock { $0.isOver } }

  func next() async throws(LoadError) -> ByteBuffer? {
    guard begin() else { return nil }
    if let waking {
      if waking.streamStatus == .notOpen { waking.open() }
      await withUnsafeContinuation { continuation in waking.whenReadable { continuation.resume() } }
    }
    let outcome = await call { StreamReader.readBlocking($0) }
    if isOver { return nil }
    switch outcome {
    case .bytes(let bytes): return bytes
    case .end: return nil
    case .failed:
      throw LoadError(.requestBodyStreamExhausted, .send, "the request's body stream failed while it was read")
    }
  }

  /// Notes that the stream is read from now on; false if the reading is over.
  private func begin() -> Bool {
    let (isFirst, isOver) = state.withLock { state in
      defer { state.hasBegun = state.hasBegun || !state.isOver }
      return (!state.hasBegun, state.isOver)
    }
    if isFirst, !isOver { begun.insert(stream) }
    return !isOver
  }

  func interrupt() {
    let hasBegun = state.withLock { state in
      state.isOver = true
      return state.hasBegun
    }
    // A read that waits returns, and the writer of a bound pair learns that its bytes aren't wanted. A stream that hasn't been read isn't closed:
    // the next attempt can read it.
    if hasBegun { waking?.close() }
  }

  func abandon() { interrupt() }

  deinit {
    guard state.withLock({ $0.hasBegun }) else { return }
    if let waking { return waking.close() }
    nonisolated(unsafe) let stream = stream
    BlockingThreads.bodies.submit { stream.close() }
  }

  /// Runs `work` with the stream on a thread that it may block.
  private func call<Value: Sendable>(_ work: @escaping @Sendable (InputStream) -> Value) async -> Value {
    await withUnsafeContinuation { continuation in
      BlockingThreads.bodies.submit { [self] in continuation.resume(returning: work(stream)) }
    }
  }

  private static func readBlocking(_ stream: InputStream) -> Outcome {
    if stream.streamStatus == .notOpen { stream.open() }
    var buffer = ByteBufferAllocator().buffer(capacity: pieceSize)
    var count = 0
    buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: pieceSize) { bytes in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
      count = stream.read(base, maxLength: pieceSize)
      return (0...pieceSize).contains(count) ? count : 0
    }
    // A stream that says it has returned more than was asked for has lost bytes, or written behind the buffer.
    guard count <= pieceSize else { return .failed }
    if count > 0 { return .bytes(buffer) }
    return count == 0 ? .end : .failed
  }
}
