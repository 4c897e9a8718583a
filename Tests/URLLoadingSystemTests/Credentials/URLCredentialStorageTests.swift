import Foundation
import LoadingModel
import Testing
import URLLoadingSystem

struct URLCredentialStorageTests {
  private let storage = URLCredentialStorage()
  private let space = URLProtectionSpace(host: "h.test", port: 443, protocol: "https", realm: "r", authenticationMethod: nil)
  private let other = URLProtectionSpace(host: "h.test", port: 443, protocol: "https", realm: "s", authenticationMethod: nil)

  private func credential(_ user: String, _ password: String = "p", _ persistence: URLCredential.Persistence = .forSession) -> URLCredential
  {
    URLCredential(user: user, password: password, persistence: persistence)
  }

  @Test func credentialsAreKeptByUser() {
    storage.set(credential("a"), for: space)
    storage.set(credential("b"), for: space)
    storage.set(credential("a", "new"), for: space)
    #expect(storage.credentials(for: space)?.count == 2)
    #expect(storage.credentials(for: space)?["a"]?.password == "new")
    #expect(storage.credentials(for: other) == nil)
    #expect(storage.allCredentials.count == 1)
  }

  @Test func firstCredentialOfASpaceBecomesItsDefault() {
    storage.set(credential("a", "p", .none), for: space)
    #expect(storage.defaultCredential(for: space) == nil)
    storage.set(credential("a"), for: space)
    #expect(storage.defaultCredential(for: space)?.user == "a")
    storage.set(credential("b"), for: space)
    #expect(storage.defaultCredential(for: space)?.user == "a")
    #expect(storage.defaultCredential(for: other) == nil)
    storage.remove(credential("a"), for: space)
    #expect(storage.defaultCredential(for: space) == nil)
    storage.set(credential("c"), for: space)
    #expect(storage.defaultCredential(for: space) == nil)
  }

  @Test func defaultIsStoredAndForgottenWithItsCredential() {
    storage.setDefaultCredential(credential("a"), for: space)
    #expect(storage.defaultCredential(for: space)?.user == "a")
    #expect(storage.credentials(for: space)?.count == 1)
    storage.remove(credential("a"), for: space)
    #expect(storage.defaultCredential(for: space) == nil)
    #expect(storage.credentials(for: space) == nil)
  }

  @Test func replacingTheDefaultUsersPasswordKeepsTheDefault() {
    storage.setDefaultCredential(credential("a"), for: space)
    storage.set(credential("a", "new"), for: space)
    #expect(storage.defaultCredential(for: space)?.password == "new")
  }

  @Test func unstorableCredentialsAreIgnored() {
    storage.set(credential("a", "p", .none), for: space)
    storage.setDefaultCredential(URLCredential(user: "b", password: "p", persistence: .none), for: space)
    #expect(storage.allCredentials.isEmpty)
  }

  @Test func removalNeedsTheSameCredential() {
    storage.set(credential("a"), for: space)
    storage.remove(credential("a", "wrong"), for: space)
    storage.remove(credential("a"), for: other)
    #expect(storage.credentials(for: space)?.count == 1)
  }

  @Test func synchronizableCredentialsAreRemovedOnRequestOnly() {
    let shared = credential("a", "p", .synchronizable)
    storage.set(shared, for: space)
    storage.remove(shared, for: space)
    #expect(storage.credentials(for: space)?.count == 1)
    storage.remove(shared, for: space, options: [NSURLCredentialStorageRemoveSynchronizableCredentials: true])
    #expect(storage.credentials(for: space) == nil)
  }

  /// A credential whose members, and whose end, use the storage that it is in.
  private final class AskingCredential: URLCredential, @unchecked Sendable {
    private let ask: @Sendable () -> Void

    init(_ user: String, _ password: String, _ ask: @escaping @Sendable () -> Void) {
      self.ask = ask
      super.init(user: user, password: password, persistence: .forSession)
    }

    required init?(coder: NSCoder) { return nil }

    deinit { ask() }

    override var user: String? {
      ask()
      return super.user
    }

    override func isEqual(_ object: Any?) -> Bool {
      ask()
      return super.isEqual(object)
    }
  }

  private final class Flag: Sendable {
    private let isSet = Mutex(false)

    /// Calls `body` unless it is being called already.
    func once(_ body: () -> Void) {
      let isFirst = isSet.withLock { isSet in
        defer { isSet = true }
        return !isSet
      }
      guard isFirst else { return }
      body()
      isSet.withLock { $0 = false }
    }
  }

  private final class AskingSpace: URLProtectionSpace, @unchecked Sendable {
    private let ask: @Sendable () -> Void

    init(_ ask: @escaping @Sendable () -> Void) {
      self.ask = ask
      super.init(host: "h.test", port: 443, protocol: "https", realm: "r", authenticationMethod: nil)
    }

    required init?(coder: NSCoder) { return nil }

    override func isEqual(_ object: Any?) -> Bool {
      ask()
      return super.isEqual(object)
    }

    override var hash: Int {
      ask()
      return super.hash
    }
  }

  @Test(.timeLimit(.minutes(1))) func subclassesMayUseTheStorageWhileItUsesThem() {
    let (inner, kept) = (other, credential("kept"))
    let isAsking = Flag()
    let ask: @Sendable () -> Void = { [weak storage = storage] in
      // Not within itself: the storage compares spaces here as well.
      isAsking.once {
        storage?.set(kept, for: inner)
        _ = storage?.allCredentials
      }
    }
    let asking = AskingSpace(ask)
    storage.set(AskingCredential("a", "1", ask), for: asking)
    storage.setDefaultCredential(AskingCredential("a", "2", ask), for: asking)
    #expect(storage.defaultCredential(for: space)?.password == "2")
    storage.remove(AskingCredential("a", "2", ask), for: asking)
    #expect(storage.credentials(for: space) == nil)
    #expect(storage.credentials(for: other)?.count == 1)
  }

  @Test func changesAreAnnouncedOnTheMainQueue() async {
    let storage = storage
    let onMainQueue = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: onMainQueue, value: true)
    await withCheckedContinuation { continuation in
      let observer = OneShotObserver()
      observer.token = NotificationCenter.default.addObserver(forName: .NSURLCredentialStorageChanged, object: storage, queue: nil) { _ in
        #expect(DispatchQueue.getSpecific(key: onMainQueue) == true)
        observer.stop()
        continuation.resume()
      }
      storage.set(credential("a"), for: space)
    }
  }

  /// Lets a notification block remove itself. Written before the notification can be posted, then used by the block alone.
  private final class OneShotObserver: @unchecked Sendable {
    var token: (any NSObjectProtocol)?
    func stop() { if let token { NotificationCenter.default.removeObserver(token) } }
  }
}
