import Foundation
import HTTPTransport

/// What a task works through beside its load, such as a `StreamSession`: confined to the event loop of the task's session.
protocol SessionBound: AnyObject, Sendable {
  var executor: LoopExecutor { get }
}

extension StreamSession: SessionBound {}
extension WebSocketSession: SessionBound {}

extension Optional where Wrapped: SessionBound {
  /// Runs `body` on the event loop, in the order of the calls; `orElse` for a task made by no session, which has no such object.
  func run(_ body: @escaping @Sendable (Wrapped) -> Void, orElse: (any Error) -> Void = { _ in }) {
    guard let self else { return orElse(POSIXError(.ENOTCONN)) }
    self.executor.submit { body(self) }
  }
}
