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
  /// Seconds by which it may be late. Where it is later, the process stood still, or the machine is busy: what has come may not be read yet.
  private static let lateness = 0.03
  private static let delays = 5

  private var body: (any BodyReader)?
  private var wake: PlannedWake?

  init(_ body: any BodyReader, _ context: LoadContext) {
    self.body = body
    plan(context, DrainLimit.delays)
  }

  private func plan(_ context: LoadContext, _ delays: Int) {
    let (eventLoop, deadline) = (context.eventLoop, context.clock.now.advanced(bySeconds: DrainLimit.time))
    wake = context.clock.plan(at: deadline) { [weak self, weak context] in
      eventLoop.execute { [weak self, weak context] in
        guard let self, let body, let context else { return }
        let isLate = context.isSuspended || context.clock.now.seconds(since: deadline) > DrainLimit.lateness
        if isLate, delays > 0 { plan(context, delays - 1) } else { body.interrupt() }
      }
    }
  }

  /// The reading has ended.
  func end() {
    wake?.cancel()
    (wake, body) = (nil, nil)
  }
}
