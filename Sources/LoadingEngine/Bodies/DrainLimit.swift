import HTTPTransport
import LoadingModel
import NIOCore

/// Ends the reading of a body that nothing needs but its connection, once that has taken longer than another connection would.
///
/// Its reader's; confined to the load's event loop.
final class DrainLimit: @unchecked Sendable {
  // @unchecked: `body` and `wake` are confined to the event loop.

  /// Seconds, as in OkHttp: well below what it takes to open a connection.
  private static let time = 0.1

  private var body: (any BodyReader)?
  private var wake: PlannedWake?

  init(_ body: any BodyReader, _ context: LoadContext) {
    self.body = body
    let eventLoop = context.eventLoop
    wake = context.clock.plan(at: context.clock.now.advanced(bySeconds: DrainLimit.time)) { [weak self] in
      eventLoop.execute { [weak self] in self?.body?.interrupt() }
    }
  }

  /// The reading has ended.
  func end() {
    wake?.cancel()
    (wake, body) = (nil, nil)
  }
}
