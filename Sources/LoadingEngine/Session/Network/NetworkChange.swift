import HTTPTransport
import LoadingModel

/// The first change of the networks after its making, which a load may wait for.
final class NetworkChange: Sendable {
  private enum State {
    case unchanged
    case awaited(AppWait<Void>)
    case changed
  }

  /// What the observer's closure refers to: not the object that ends the observation.
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

  /// Until the change, or for so many seconds. Only the time for the whole resource runs meanwhile, as Apple documents it.
  func wait(_ context: LoadContext, seconds: Double?) async throws(LoadError) {
    try await AppWait<Void>.ask(context) { wait in
      latch.tell(wait)
      guard let seconds else { return }
      context.clock.wake(at: context.clock.now.advanced(bySeconds: seconds)) { wait.answer(()) }
    }
  }
}
