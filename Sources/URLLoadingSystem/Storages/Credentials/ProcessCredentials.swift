import LoadingModel

/// The credentials of a storage that end with the process, for all threads.
///
/// The table asks credentials and protection spaces for their users, equality and hashes, and those of subclasses are the app's code, which may use the
/// storage: all that happens outside the lock, which only guards the exchange of one table for the next. So do releases.
final class ProcessCredentials: Sendable {
  private struct State {
    var table = CredentialTable()
    /// The number of changes.
    var version = 0
  }

  private let state = Mutex(State())

  /// The table as it is now.
  var current: CredentialTable { state.withLock { $0.table } }

  /// Changes the table; returns whether `body` has changed anything.
  ///
  /// - Parameter body: Called again if the table has been changed meanwhile, by another thread or by the app's code that it calls.
  func change(_ body: (inout CredentialTable) -> Bool) -> Bool {
    while true {
      let known = state.withLock { $0 }
      var next = State(table: known.table, version: known.version + 1)
      guard body(&next.table) else { return false }
      // `known` keeps what leaves the table until the lock is released.
      let isDone = state.withLock { state in
        guard state.version == known.version else { return false }
        state = next
        return true
      }
      withExtendedLifetime(known) {}
      if isDone { return true }
    }
  }
}
