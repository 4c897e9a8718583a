import LoadingEngine

/// The event loop of a session, on which moments are told that other threads have left.
struct EventLoopTelling: Sendable {
  private let engine: LoadSession

  /// nil on the loop itself: it tells everything.
  init?(_ engine: LoadSession?) {
    guard let engine, !engine.executor.eventLoop.inEventLoop else { return nil }
    self.engine = engine
  }

  func tell<Values>(_ observer: PropertyObserver<Values>) {
    engine.onLoop { observer.tell(through: .max, rest: nil) }
  }
}
