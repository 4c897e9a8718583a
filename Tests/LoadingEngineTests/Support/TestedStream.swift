import Foundation
import HTTPTransport
import LoadingModel
import NIOCore

/// A stream task's session, as the public layer holds it. May be used from any thread.
final class TestedStream: StreamEvents, Sendable {
  let conversation: StreamSession

  init(_ executor: LoopExecutor) { conversation = StreamSession(executor: executor) }

  /// Makes `context` that of a stream task.
  func begin(_ context: LoadContext) {
    conversation.begin(context, self)
    context.stream = conversation
  }

  private func onLoop(_ action: @escaping @Sendable (StreamSession) -> Void) {
    conversation.executor.submit { [conversation] in action(conversation) }
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
