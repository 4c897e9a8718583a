import LoadingModel

/// The last backend: keeps credentials that no other backend takes, until the process ends.
package final class CredentialMemory: CredentialBackend {
  private let list = Mutex(CredentialList())

  package var isDurable: Bool { false }

  package init() {}

  package func read() -> CredentialList { list.withLock { $0 } }

  package func update(_ change: (inout CredentialList) -> Void) -> CredentialList {
    // Read and written separately: only the store's serial queue changes it.
    var changed = read()
    change(&changed)
    let result = changed
    list.withLock { $0 = result }
    return result
  }
}
