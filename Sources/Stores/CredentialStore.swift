import Dispatch
import LoadingModel

/// The permanent credentials of one app: a list in memory that follows one or more vaults, and other processes that change them.
///
/// A credential goes into the first vault that takes it and out of all others; a credential in several counts as the first has it.
/// The vaults are opened at first use, on a queue of the store's own; `current` is for event loops and never waits.
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

  /// What the queue works on; only there.
  private final class Shelf: @unchecked Sendable {
    // @unchecked: confined to the queue.
    private let open: @Sendable () -> [any CredentialVault]
    private(set) lazy var vaults = open()
    private lazy var known = vaults.map { _ in CredentialList() }

    init(_ open: @escaping @Sendable () -> [any CredentialVault]) { self.open = open }

    /// A vault that can't be read at the moment keeps what was known of it.
    func read() { for place in vaults.indices { known[place] = (try? vaults[place].read()) ?? known[place] } }

    func keep(_ credential: StoredCredential) {
      var hasPlace = false
      for place in vaults.indices {
        if hasPlace {
          forget(at: place) { $0.forget(user: credential.user, in: credential.space) }
        } else if let list = try? vaults[place].update({ $0.keep(credential) }) {
          known[place] = list
          hasPlace = true
        }
      }
    }

    func forget(_ change: (inout CredentialList) -> Void) {
      for place in vaults.indices { forget(at: place, change) }
    }

    private func forget(at place: Int, _ change: (inout CredentialList) -> Void) {
      var rest = known[place]
      change(&rest)
      // Places that don't know it aren't bothered: looking is cheaper than locking.
      guard rest != known[place] else { return }
      known[place] = (try? vaults[place].update(change)) ?? known[place]
    }

    var merged: CredentialList {
      var result = CredentialList()
      for list in known.reversed() { for credential in list.credentials { result.keep(credential) } }
      return result
    }
  }

  private let queue = DispatchQueue(label: "credentials")
  private let state = Mutex(State.unread)
  private let makeCounter: @Sendable () -> ChangeCounter
  private let shelf: Shelf

  /// - Parameters:
  ///   - vaults: Opens the places, best first.
  ///   - counter: Makes the counter of changes that all processes share.
  package init(vaults: @escaping @Sendable () -> [any CredentialVault], counter: @escaping @Sendable () -> ChangeCounter) {
    shelf = Shelf(vaults)
    makeCounter = counter
  }

  /// The list if it is known to be up to date; nil if a vault must be asked. Never waits.
  package var current: Snapshot? {
    state.withLock { state in
      guard case .read(let snapshot, let counter, let at) = state, counter.value == at else { return nil }
      return snapshot
    }
  }

  /// The list, up to date. May block.
  package func load() -> Snapshot { current ?? queue.sync { refresh() } }

  /// Keeps a credential. May block; durable on return unless every vault but memory refused.
  package func keep(_ credential: StoredCredential) {
    queue.sync {
      var credential = credential
      let known = refresh().list.credential(of: credential.user, in: credential.space)
      guard known != credential else { return }
      if known?.role == .standard { credential.role = .standard }
      commit { $0.keep(credential) }
    }
  }

  /// Forgets a credential wherever it is kept. May block.
  package func forget(user: String, in space: StoredCredential.Space) {
    queue.sync {
      refresh()
      commit { $0.forget { $0.forget(user: user, in: space) } }
    }
  }

  /// Forgets everything. May block.
  package func forgetAll() {
    queue.sync {
      refresh()
      commit { $0.forget { $0.forgetAll() } }
    }
  }

  // MARK: on the queue

  @discardableResult
  private func refresh() -> Snapshot {
    if let current { return current }
    let counter = state.withLock { if case .read(_, let counter, _) = $0 { counter } else { nil } } ?? makeCounter()
    // Before reading: what changes from now on is read again.
    let at = counter.value
    shelf.read()
    return publish(counter, at)
  }

  private func commit(_ change: (Shelf) -> Void) {
    let before = state.withLock { $0 }
    change(shelf)
    guard case .read(_, let counter, let at) = before else { return }
    let count = counter.bump()
    publish(counter, count == at ? at &+ 1 : at)
  }

  @discardableResult
  private func publish(_ counter: ChangeCounter, _ at: UInt64) -> Snapshot {
    let list = shelf.merged
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
