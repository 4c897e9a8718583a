#if Combine
  /// An action that a scheduler runs later, on another thread. Combine's schedulers take closures that aren't `@Sendable`.
  struct ScheduledAction: @unchecked Sendable {
    // @unchecked: it is handed over; the scheduler that runs it is the one place that calls it from then on.
    let run: () -> Void
  }
#endif
