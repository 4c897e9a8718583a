import Foundation
import Stores
import Testing

@testable import URLLoadingSystem

/// What outlives a storage. A second storage on the same folder represents another process of the app.
@Suite(.timeLimit(.minutes(10))) struct PermanentCredentialsTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "credentials-\(UUID().uuidString)", directoryHint: .isDirectory)
  private let space = URLProtectionSpace(host: "H.test", port: 0, protocol: "https", realm: "r", authenticationMethod: nil)
  private let sameSpace = URLProtectionSpace(host: "h.test", port: 443, protocol: "https", realm: "r", authenticationMethod: nil)

  private func storage() -> URLCredentialStorage {
    let environment = ["URL_LOADING_SYSTEM_HOME": folder.path(percentEncoded: false)]
    let location = StoreLocation(environment: environment, home: folder, app: "tests")
    return URLCredentialStorage(permanent: CredentialStore(location, environment: environment))
  }

  private func withFolder(_ body: () -> Void) {
    defer { try? FileManager.default.removeItem(at: folder) }
    body()
  }

  private func credential(
    _ user: String, _ password: String = "p", _ persistence: URLCredential.Persistence = .permanent
  ) -> URLCredential {
    URLCredential(user: user, password: password, persistence: persistence)
  }

  @Test func permanentCredentialsOutliveTheStorage() {
    withFolder {
      let first = storage()
      first.set(credential("ann"), for: space)
      first.set(credential("bob", "p", .synchronizable), for: space)
      first.set(credential("cy", "p", .forSession), for: space)
      first.setDefaultCredential(credential("ann"), for: space)
      let second = storage()
      #expect(second.credentials(for: sameSpace)?.keys.sorted() == ["ann", "bob"])
      #expect(second.credentials(for: sameSpace)?["ann"] == credential("ann"))
      #expect(second.credentials(for: sameSpace)?["bob"]?.persistence == .synchronizable)
      #expect(second.defaultCredential(for: sameSpace)?.user == "ann")
      #expect(second.allCredentials[space]?.count == 2)
      #expect(first.allCredentials[sameSpace]?.count == 3)
    }
  }

  /// As `URLSession.reset` does.
  @Test func removalOfAllCoversPermanentOnesThatASessionsOneHides() {
    withFolder {
      let first = storage()
      first.set(credential("ann"), for: space)
      first.set(credential("bob", "p", .synchronizable), for: space)
      first.set(credential("ann", "own", .forSession), for: space)
      #expect(first.credentials(for: space)?["ann"]?.password == "own")
      first.removeAll()
      #expect(first.allCredentials.isEmpty)
      #expect(storage().allCredentials.isEmpty)
    }
  }

  @Test func storagesSeeEachOthersChanges() {
    withFolder {
      let (one, other) = (storage(), storage())
      #expect(other.credentials(for: space) == nil)
      one.setDefaultCredential(credential("ann", "old"), for: space)
      #expect(other.defaultCredential(for: space)?.password == "old")
      other.set(credential("ann", "new"), for: space)
      #expect(one.defaultCredential(for: space)?.password == "new")
      other.remove(credential("ann", "new"), for: space)
      #expect(one.credentials(for: space) == nil)
      #expect(one.defaultCredential(for: space) == nil)
    }
  }

  @Test func removalNeedsTheSameCredentialAndTheOptionForSynchronizableOnes() {
    withFolder {
      let first = storage()
      let shared = credential("ann", "p", .synchronizable)
      first.set(shared, for: space)
      first.remove(
        credential("ann", "other", .synchronizable), for: space, options: [NSURLCredentialStorageRemoveSynchronizableCredentials: true])
      first.remove(shared, for: space)
      #expect(storage().credentials(for: space)?.count == 1)
      first.remove(shared, for: space, options: [NSURLCredentialStorageRemoveSynchronizableCredentials: true])
      #expect(storage().credentials(for: space) == nil)
    }
  }

  @Test func credentialForTheSessionHidesThePermanentOne() {
    withFolder {
      let first = storage()
      first.setDefaultCredential(credential("ann", "kept"), for: space)
      first.set(credential("ann", "now", .forSession), for: space)
      #expect(first.credentials(for: space)?["ann"]?.password == "now")
      #expect(first.defaultCredential(for: space)?.password == "now")
      #expect(storage().defaultCredential(for: space)?.password == "kept")
      // A permanent one takes the place of both, and of the default.
      first.setDefaultCredential(credential("bob", "p", .forSession), for: space)
      first.set(credential("bob", "kept"), for: space)
      #expect(first.credentials(for: space)?["bob"]?.password == "kept")
      #expect(storage().defaultCredential(for: space)?.user == "bob")
    }
  }

  @Test func spacesAreKeptApart() {
    withFolder {
      let first = storage()
      let spaces = [
        space, URLProtectionSpace(host: "h.test", port: 443, protocol: "https", realm: nil, authenticationMethod: nil),
        URLProtectionSpace(host: "h.test", port: 443, protocol: "https", realm: "", authenticationMethod: nil),
        URLProtectionSpace(host: "h.test", port: 443, protocol: "http", realm: "r", authenticationMethod: nil),
        URLProtectionSpace(
          host: "h.test", port: 443, protocol: "https", realm: "r", authenticationMethod: NSURLAuthenticationMethodHTTPDigest),
        URLProtectionSpace(proxyHost: "h.test", port: 443, type: "https", realm: "r", authenticationMethod: nil),
      ]
      for (number, space) in spaces.enumerated() { first.set(credential("ann", "\(number)"), for: space) }
      let second = storage()
      for (number, space) in spaces.enumerated() { #expect(second.credentials(for: space)?["ann"]?.password == "\(number)") }
      #expect(second.allCredentials.count == spaces.count)
    }
  }

  @Test func identitiesAndTrustAreNotKept() {
    withFolder {
      storage().set(URLCredential(trust: SecTrust(chain: [], host: "h.test")), for: space)
      #expect(storage().allCredentials.isEmpty)
    }
  }

  @Test func changesOfOthersAreAnnouncedOnceSeen() async {
    let (one, other) = (storage(), storage())
    _ = other.allCredentials
    one.set(credential("ann"), for: space)
    await withCheckedContinuation { continuation in
      let observer = Observer()
      observer.token = NotificationCenter.default.addObserver(forName: .NSURLCredentialStorageChanged, object: other, queue: nil) { _ in
        observer.stop()
        continuation.resume()
      }
      #expect(other.allCredentials.count == 1)
    }
    try? FileManager.default.removeItem(at: folder)
  }

  @Test func storagesOfOnesOwnKeepNothing() {
    withFolder {
      let own = URLCredentialStorage()
      own.setDefaultCredential(credential("ann"), for: space)
      #expect(own.defaultCredential(for: space)?.user == "ann")
      #expect(URLCredentialStorage().allCredentials.isEmpty)
      #expect(URLSessionConfiguration.ephemeral.urlCredentialStorage !== URLCredentialStorage.shared)
      #expect(!FileManager.default.fileExists(atPath: folder.path(percentEncoded: false)))
    }
  }

  @Test func asynchronousFormsFindPermanentOnes() async throws {
    let session = URLSession(configuration: .ephemeral)
    let task = session.dataTask(with: URLRequest(url: try #require(URL(string: "https://h.test/"))))
    storage().setDefaultCredential(credential("ann"), for: space)
    #expect(await storage().defaultCredential(for: space, task: task)?.user == "ann")
    #expect(await storage().credentials(for: space, task: task)?.keys.sorted() == ["ann"])
    session.invalidateAndCancel()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Lets a notification block remove itself. Written before the notification can be posted, then used by the block alone.
  private final class Observer: @unchecked Sendable {
    var token: (any NSObjectProtocol)?
    func stop() { if let token { NotificationCenter.default.removeObserver(token) } }
  }
}
