import Foundation
import LoadingModel
import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct CredentialStoreTests {
  private let folder = TemporaryFolder()

  private func store(_ backends: any CredentialBackend...) -> CredentialStore {
    let url = folder.url.appending(path: "changes")
    return CredentialStore(backends: { backends }) { ChangeCounter(url: url) }
  }

  @Test func nothingIsReadBeforeItIsAskedFor() {
    let store = store(CredentialFile(folder.location))
    #expect(store.current == nil)
    #expect(store.load().list.credentials.isEmpty)
    #expect(store.current != nil)
  }

  @Test func anotherProcessSeesWhatIsKept() {
    let one = store(CredentialFile(folder.location))
    let other = store(CredentialFile(folder.location))
    #expect(other.load().list.credentials.isEmpty)
    one.keep(.sample())
    #expect(one.current?.list.credentials == [.sample()])
    #expect(other.current == nil)
    #expect(other.load().list.credentials == [.sample()])
    other.forget(user: "ann", in: .sample())
    #expect(one.load().list.credentials.isEmpty)
  }

  @Test func generationGrowsWithChangesOnly() {
    let store = store(CredentialMemory())
    let first = store.load().generation
    store.keep(.sample())
    let second = store.load().generation
    #expect(second > first)
    store.keep(.sample())
    #expect(store.load().generation == second)
  }

  @Test func bestPlaceTakesItAndTheOthersForgetIt() throws {
    let best = SwitchableVault()
    let file = CredentialFile(folder.location)
    let store = store(best, file)
    best.isLocked = true
    store.keep(.sample("ann", "old", role: .standard))
    #expect(try file.read().credentials.count == 1)
    best.isLocked = false
    store.keep(.sample("ann", "new"))
    #expect(try file.read().credentials.isEmpty)
    // What was the default elsewhere stays it.
    #expect(try best.read().credentials == [.sample("ann", "new", role: .standard)])
    #expect(store.load().list.credentials == [.sample("ann", "new", role: .standard)])
  }

  @Test func placeThatFailsKeepsWhatWasKnownOfIt() {
    let backend = SwitchableVault()
    let store = store(backend)
    store.keep(.sample())
    backend.isLocked = true
    ChangeCounter(url: folder.url.appending(path: "changes")).bump()
    #expect(store.load().list.credentials == [.sample()])
  }

  @Test func withoutAnyPlaceMemoryKeepsIt() throws {
    try Data().write(to: folder.url.appending(path: "data"))
    let store = store(CredentialFile(folder.location), CredentialMemory())
    store.keep(.sample())
    #expect(store.load().list.credentials == [.sample()])
    store.forgetAll()
    #expect(store.load().list.credentials.isEmpty)
  }

  @Test func whatAVaultRefusesToChangeIsChangedAllTheSame() throws {
    let backend = SwitchableVault()
    let store = store(backend, CredentialMemory())
    for user in ["ann", "bob"] { store.keep(.sample(user, "old")) }
    backend.isLocked = true
    store.keep(.sample("ann", "new"))
    store.forget(user: "bob", in: .sample())
    #expect(store.load().list.credentials == [.sample("ann", "new")])
    store.forgetAll()
    #expect(store.load().list.credentials.isEmpty)
    backend.isLocked = false
    // Another process's.
    _ = try backend.update { $0.keep(.sample("bob", "newer")) }
    store.keep(.sample("carl", "new"))
    #expect(try backend.read().credentials == [.sample("bob", "newer"), .sample("carl", "new")])
    #expect(store.load().list.credentials == [.sample("bob", "newer"), .sample("carl", "new")])
  }

  @Test func whatOnlyMemoryTookGoesToAVaultLater() throws {
    let backend = SwitchableVault()
    let store = store(backend, CredentialMemory())
    backend.isLocked = true
    store.keep(.sample("ann"))
    backend.isLocked = false
    store.keep(.sample("bob"))
    #expect(try backend.read().credentials == [.sample("ann"), .sample("bob")])
    #expect(store.load().list.credentials == [.sample("ann"), .sample("bob")])
  }

  /// A backend that can be closed, as a keyring is locked.
  private final class SwitchableVault: CredentialBackend {
    private let contents = CredentialMemory()
    private let locked = Mutex(false)
    var isLocked: Bool {
      get { locked.withLock { $0 } }
      set { locked.withLock { $0 = newValue } }
    }

    private func check() throws {
      if isLocked { throw StoreFailure(path: "a backend", reason: "it is locked") }
    }

    func read() throws -> CredentialList {
      try check()
      return contents.read()
    }

    func update(_ change: (inout CredentialList) -> Void) throws -> CredentialList {
      try check()
      return contents.update(change)
    }
  }
}
