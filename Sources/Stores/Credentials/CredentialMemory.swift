import LoadingModel

/// The last resort: keeps what no other place takes until the process ends.
package final class CredentialMemory: CredentialBackend {
  private let list = Mutex(CredentialList())

  package var isDurable: Bool { false }

  package init() {}

  package func read() -> CredentialList { list.withLock { $0 } }

  package func update(_ change: (inout CredentialList) -> Void) -> CredentialList {
    // One writer: the store's queue.
    var changed = read()
    change(&changed)
    let result = changed
    list.withLock { $0 = result }
    return result
  }
}
