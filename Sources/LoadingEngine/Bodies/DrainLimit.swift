import HTTPTransport
import LoadingModel
import NIOCore

/// Limits the time in which an unwanted body is read so that its connection can be used again: after it, another connection would be faster.
///
/// Belongs to the code that reads the body; confined to the load's event loop.
final class DrainLimit: @unchecked Sendable {
  // @unchecked: `body` and `wake` are confined to the event loop.

  /// Seconds, as in OkHttp: well below the time that opening a connection takes.
  private static let time = 0.1
  /// The most seconds by which the wake may be late. If it is later, the process was suspended or the machine is busy, and bytes that have
  /// arrived may not have been read yet: the time begins anew.
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

  /// Ends the limit, because the body has been read or the reading was given up.
  func end() {
    wake?.cancel()
    (wake, body) = (nil, nil)
  }
}
