import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import NIOFoundationCompat

extension URLSessionWebSocketTask {
  /// The messages in the order of their arrival: `for try await message in task.messages`.
  ///
  /// An addition: Apple's class has `receive()` alone. The sequence ends when the WebSocket has been closed by both sides; for any other reason it
  /// throws the error that `receive()` would. A later iteration continues with the next message; each message goes to one of several concurrent
  /// iterations.
  public var messages: AsyncMessages { AsyncMessages(task: self) }

  /// The messages of a WebSocket, in order.
  public struct AsyncMessages: AsyncSequence, Sendable {
    let task: URLSessionWebSocketTask

    /// Asks the task for one message after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let task: URLSessionWebSocketTask

      /// The next message; nil once the WebSocket has been closed.
      public mutating func next() async throws -> Message? {
        let result = try await task.nextMessage()
        if case .failure(let error) = result, error.isOfClosedWebSocket { return nil }
        return try task.publicResult(result).get()
      }
    }

    /// Makes an iterator that begins with the next message that hasn't been received.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(task: task) }
  }
}

extension URLSessionWebSocketTask.Message {
  init(_ message: WebSocketMessage) {
    switch message.kind {
    case .text: self = .string(String(buffer: message.bytes))
    case .binary: self = .data(Data(received: message.bytes))
    }
  }

  var content: WebSocketContent {
    switch self {
    case .data(let data): .binary(data)
    case .string(let text): .text(text)
    }
  }
}
