import HTTPTransport
import LoadingModel

/// Notices the first change of the networks after it was made; a load may wait for it.
final class NetworkChange: Sendable {
  private enum State {
    case unchanged
    case awaited(AppWait<Void>)
    case changed
  }

  /// The state that the observer's closure refers to: the closure must not own the object that ends the observation.
  private final class Latch: Sendable {
    private let state = Mutex(State.unchanged)

    func change() {
      let wait = state.withLock { state -> AppWait<Void>? in
        defer { state = .changed }
        if case .awaited(let wait) = state { return wait }
        return nil
      }
      wait?.answer(())
    }

    func tell(_ wait: AppWait<Void>) {
      let hasChanged = state.withLock { state in
        if case .changed = state { return true }
        state = .awaited(wait)
        return false
      }
      if hasChanged { wait.answer(()) }
    }
  }

  private let latch = Latch()
  private let observation: NetworkObservation

  init(_ network: any NetworkObserver) {
    observation = network.observe { [latch] _ in latch.change() }
  }

  /// Waits for the change, or at most for `seconds`; nil for no limit. Only the time for the whole resource passes meanwhile, as Apple documents.
  func wait(_ context: LoadContext, seconds: Double?) async throws(LoadError) {
    try await AppWait<Void>.ask(context) { wait in
      latch.tell(wait)
      guard let seconds else { return }
      context.clock.wake(at: context.clock.now.advanced(bySeconds: seconds)) { wait.answer(()) }
    }
  }
}
