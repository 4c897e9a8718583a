import LoadingEngine

/// The event loop of a session, on which an observer's handler is called for changes that other threads noted but didn't tell.
struct EventLoopTelling: Sendable {
  private let engine: LoadSession

  /// nil if the session has no engine, or on the event loop itself, which tells all changes.
  init?(_ engine: LoadSession?) {
    guard let engine, !engine.executor.eventLoop.inEventLoop else { return nil }
    self.engine = engine
  }

  func tell<Values>(_ observer: PropertyObserver<Values>) {
    engine.onLoop { observer.tell(through: .max, rest: nil) }
  }
}
