import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

/// What the storages post: the storage is the object, and there is no user info, as Apple documents.
@Suite(.timeLimit(.minutes(10))) struct StorageNotificationTests {
  private func cookie(_ value: String) throws -> HTTPCookie {
    let properties: [HTTPCookiePropertyKey: Any] = [.name: "a", .value: value, .path: "/", .domain: "x.test"]
    return try #require(HTTPCookie(properties: properties))
  }

  /// Posted once by `change`, on this thread.
  private func posted(_ name: Notification.Name, _ object: AnyObject, _ change: () throws -> Void) rethrows -> [Notification] {
    nonisolated(unsafe) var posted: [Notification] = []
    let observer = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { posted.append($0) }
    defer { NotificationCenter.default.removeObserver(observer) }
    try change()
    return posted
  }

  @Test func everyChangeOfTheCookiesIsPosted() throws {
    let storage = HTTPCookieStorage()
    let name = Notification.Name.NSHTTPCookieManagerCookiesChanged
    let changes: [() throws -> Void] = [
      { storage.setCookie(try cookie("1")) },
      { storage.setCookie(try cookie("2")) },
      { storage.deleteCookie(try cookie("2")) },
      { storage.setCookies([try cookie("3")], for: URL(string: "http://x.test/"), mainDocumentURL: nil) },
      { storage.removeCookies(since: .distantPast) },
    ]
    for change in changes {
      let notifications = try posted(name, storage, change)
      #expect(notifications.count == 1)
      #expect(notifications.first?.object as? HTTPCookieStorage === storage)
      #expect(notifications.first?.userInfo == nil)
    }
    let unknown = try cookie("9")
    #expect(posted(name, storage) { storage.deleteCookie(unknown) }.isEmpty)
  }

  @Test func changeOfTheAcceptPolicyIsPosted() {
    let storage = HTTPCookieStorage()
    let name = Notification.Name.NSHTTPCookieManagerAcceptPolicyChanged
    let notifications = posted(name, storage) {
      storage.cookieAcceptPolicy = .never
      storage.cookieAcceptPolicy = .never
    }
    #expect(notifications.count == 1)
    #expect(notifications.first?.object as? HTTPCookieStorage === storage)
    #expect(notifications.first?.userInfo == nil)
  }

  @Test func changeOfTheCredentialsIsPostedOnTheMainQueue() async {
    let storage = URLCredentialStorage()
    let onMainQueue = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: onMainQueue, value: true)
    var iterator = NotificationCenter.default.notifications(named: .NSURLCredentialStorageChanged, object: storage).makeAsyncIterator()
    let wasMain = Mutex(false)
    let observer = NotificationCenter.default.addObserver(forName: .NSURLCredentialStorageChanged, object: storage, queue: nil) { _ in
      wasMain.withLock { $0 = DispatchQueue.getSpecific(key: onMainQueue) == true }
    }
    let space = URLProtectionSpace(host: "x.test", port: 80, protocol: "http", realm: nil, authenticationMethod: nil)
    storage.set(URLCredential(user: "u", password: "p", persistence: .forSession), for: space)
    let notification = await iterator.next()
    #expect(notification?.object as? URLCredentialStorage === storage)
    #expect(notification?.userInfo == nil)
    // The observer that was added later is called later by the same post: the next one finds it called.
    storage.setDefaultCredential(URLCredential(user: "v", password: "p", persistence: .forSession), for: space)
    _ = await iterator.next()
    #expect(wasMain.withLock { $0 })
    NotificationCenter.default.removeObserver(observer)
  }
}
