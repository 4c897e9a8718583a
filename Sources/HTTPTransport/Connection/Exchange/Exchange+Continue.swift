import LoadingModel
import NIOCore

/// A request's body waits for 100 (Continue).
extension Exchange {
  /// The most seconds that the body waits for 100 (Continue); the same as curl's default.
  private static let continueWait = 1.0

  /// Waits for 100 (Continue), which a server that knows nothing of it never sends: at most `continueWait` (RFC 9110, 10.1.1).
  /// - Returns: Whether the body is to be sent: not if the final response is there already, or the exchange is over.
  package func waitForContinue() async -> Bool {
    if head == nil, acceptsBody, !wasContinued {
      context.clock.wake(at: context.clock.now.advanced(bySeconds: Exchange.continueWait)) { [self] in
        context.eventLoop.execute { [self] in wakeExpectant() }
      }
      await withUnsafeContinuation { expectation = $0 }
    }
    return head == nil && acceptsBody
  }

  func wakeExpectant() {
    guard let expectation else { return }
    self.expectation = nil
    expectation.resume()
  }
}
