#if Combine
  /// A closure that a scheduler runs later on another thread. It makes the closure `Sendable`, since the closures of Combine's schedulers aren't.
  struct ScheduledAction: @unchecked Sendable {
    // @unchecked: the caller hands the closure over, and only the scheduler calls it from then on.
    let run: () -> Void
  }
#endif
