import Foundation
import LoadingModel

/// An observer in a notification center, to be removed once, from any thread.
final class NotificationRegistration: Sendable {
  private struct Registered: @unchecked Sendable {
    // @unchecked: only handed back to the center, which is thread-safe.
    let observer: any NSObjectProtocol
    let center: NotificationCenter
  }

  private enum State {
    case none
    case begun(Registered)
    case ended
  }

  private let state = Mutex(State.none)

  func begin(_ observer: any NSObjectProtocol, _ center: NotificationCenter) {
    let registered = Registered(observer: observer, center: center)
    let hasEnded = state.withLock { state in
      if case .ended = state { return true }
      state = .begun(registered)
      return false
    }
    if hasEnded { center.removeObserver(observer) }
  }

  func end() {
    let registered = state.withLock { state -> Registered? in
      guard case .begun(let registered) = state else {
        state = .ended
        return nil
      }
      state = .ended
      return registered
    }
    if let registered { registered.center.removeObserver(registered.observer) }
  }
}
