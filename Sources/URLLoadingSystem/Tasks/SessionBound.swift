import Foundation
import HTTPTransport

/// The stream or WebSocket session through which a task works once its load runs: confined to the event loop of the task's `URLSession`.
protocol SessionBound: AnyObject, Sendable {
  var executor: LoopExecutor { get }
}

extension StreamSession: SessionBound {}
extension WebSocketSession: SessionBound {}

extension Optional where Wrapped: SessionBound {
  /// Runs `body` on the event loop, in the order of the calls. A task that no session made has no such object: `orElse` is called instead.
  func run(_ body: @escaping @Sendable (Wrapped) -> Void, orElse: (any Error) -> Void = { _ in }) {
    guard let self else { return orElse(POSIXError(.ENOTCONN)) }
    self.executor.submit { body(self) }
  }
}
