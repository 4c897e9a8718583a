import Dispatch
import LoadingModel

/// The permanent credentials of one app: a list in memory, read from one or more backends, which other processes may change.
///
/// A credential is stored in the first backend that takes it, and removed from all others; if several have one, that of the first counts. The
/// backends are opened at first use, on a queue of the store's own; `current` never waits, so that event loops may use it.
package final class CredentialStore: Sendable {
  /// The list, and a number that grows when it changes.
  package struct Snapshot: Sendable {
    package var list = CredentialList()
    package var generation = 0
  }

  private enum State {
    case unread
    case read(Snapshot, counter: ChangeCounter, at: UInt64)
  }

  private let queue = DispatchQueue(label: "credentials")
  private let state = Mutex(State.unread)
  private let makeCounter: @Sendable () -> ChangeCounter
  private let backends: CredentialBackends

  /// - Parameters:
  ///   - backends: Opens the backends, the preferred one first.
  ///   - counter: Makes the counter of changes that all processes share.
  package init(backends: @escaping @Sendable () -> [any CredentialBackend], counter: @escaping @Sendable () -> ChangeCounter) {
    self.backends = CredentialBackends(backends)
    makeCounter = counter
  }

  /// The list, if no other process has changed it since it was read; nil if the backends must be read. Never waits.
  package var current: Snapshot? {
    state.withLock { state in
      guard case .read(let snapshot, let counter, let at) = state, counter.value == at else { return nil }
      return snapshot
    }
  }

  /// The list, read from the backends if it isn't current. May block.
  package func load() -> Snapshot { current ?? queue.sync { refresh() } }

  /// Stores a credential. May block. Durable on return, unless every backend except memory refuses it.
  package func keep(_ credential: StoredCredential) {
    queue.sync {
      var credential = credential
      let known = refresh().list.credential(of: credential.user, in: credential.space)
      guard known != credential else { return }
      if known?.role == .standard { credential.role = .standard }
      commit { $0.keep(credential) }
    }
  }

  /// Removes a credential from all backends. May block.
  package func forget(user: String, in space: StoredCredential.Space) {
    queue.sync {
      refresh()
      commit { $0.forget(user: user, in: space) }
    }
  }

  /// Removes all credentials from all backends. May block.
  package func forgetAll() {
    queue.sync {
      refresh()
      commit { $0.forgetAll() }
    }
  }

  // MARK: on the queue

  @discardableResult
  private func refresh() -> Snapshot {
    if let current { return current }
    let counter = state.withLock { if case .read(_, let counter, _) = $0 { counter } else { nil } } ?? makeCounter()
    // The count is taken before reading, so that changes during the read are noticed.
    let at = counter.value
    backends.read()
    return publish(counter, at)
  }

  private func commit(_ change: (CredentialBackends) -> Void) {
    let before = state.withLock { $0 }
    backends.catchUp()
    change(backends)
    guard case .read(_, let counter, let at) = before else { return }
    let count = counter.bump()
    publish(counter, count == at ? at &+ 1 : at)
  }

  @discardableResult
  private func publish(_ counter: ChangeCounter, _ at: UInt64) -> Snapshot {
    let list = backends.merged
    return state.withLock { state in
      var snapshot = Snapshot(list: list, generation: 1)
      if case .read(let before, _, _) = state {
        snapshot.generation = before.list == list ? before.generation : before.generation + 1
      }
      state = .read(snapshot, counter: counter, at: at)
      return snapshot
    }
  }
}
