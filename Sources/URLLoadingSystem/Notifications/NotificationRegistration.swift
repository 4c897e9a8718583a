import Foundation
import LoadingModel

/// An observer in a notification center, which is removed exactly once, from any thread; also if it is to end before it has begun.
final class NotificationRegistration: Sendable {
  private struct Registered: @unchecked Sendable {
    // @unchecked: the observer is only passed back to the center, which is thread-safe.
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
