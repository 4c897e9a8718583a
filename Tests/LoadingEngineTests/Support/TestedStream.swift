import Foundation
import HTTPTransport
import LoadingModel
import NIOCore

@testable import LoadingEngine

/// A stream task's session, as the public layer holds it. May be used from any thread.
final class TestedStream: StreamEvents, Sendable {
  let stream: StreamSession

  init(_ executor: LoopExecutor) { stream = StreamSession(executor: executor) }

  /// Makes `load` that of a stream task.
  func begin(_ load: Load) {
    stream.begin(load.context, self)
    load.kind = .stream(stream)
  }

  private func onLoop(_ action: @escaping @Sendable (StreamSession) -> Void) {
    stream.executor.submit { [stream] in action(stream) }
  }

  func write(_ text: String) { onLoop { $0.write(StreamWrite(Data(text.utf8), timeout: 0) { _ in }) } }

  /// Waits for that many bytes.
  func read(_ count: Int) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      onLoop {
        $0.read(
          StreamRead(atLeast: count, atMost: count, timeout: 0) { result in
            continuation.resume(with: result.map { String(buffer: $0.bytes) }.mapError { $0 as any Error })
          })
      }
    }
  }

  /// Ends both directions.
  func close() {
    onLoop {
      $0.closeWrite()
      $0.closeRead()
    }
  }

  func streamReadClosed() {}
  func streamWriteClosed() {}
  func streamReceived(bytes: Int) {}
  func streamSent(bytes: Int) {}
  func streamCaptured(_ capture: StreamCapture) {}
}
