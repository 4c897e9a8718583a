import Foundation
import LoadingModel

/// Keeps password credentials by protection space, in memory, as long as the object lives.
///
/// Every member may be used from any thread. A change posts `NSURLCredentialStorageChanged` on the main queue.
open class URLCredentialStorage: NSObject, @unchecked Sendable {
  // @unchecked: the one stored property is a mutex; subclasses answer for what they add.
  private let table = Mutex(CredentialTable())
  private static let sharedStorage = URLCredentialStorage()

  /// A storage of one's own, empty.
  public override init() { super.init() }

  /// The storage of the process.
  open class var shared: URLCredentialStorage { sharedStorage }

  /// The credentials for `space` by user name; nil if there are none.
  open func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
    table.withLock { $0.credentials(for: space) }
  }

  /// Every credential, by space and by user name.
  open var allCredentials: [URLProtectionSpace: [String: URLCredential]] { table.withLock { $0.all } }

  /// Keeps `credential` for `space`, in place of the one that the user had there.
  ///
  /// A credential without user name, or whose persistence is `.none`, isn't kept.
  open func set(_ credential: URLCredential, for space: URLProtectionSpace) {
    announce(table.withLock { $0.set(credential, for: space, asDefault: false) })
  }

  /// Forgets `credential` in `space`, unless it is synchronizable.
  open func remove(_ credential: URLCredential, for space: URLProtectionSpace) {
    remove(credential, for: space, options: nil)
  }

  /// Forgets `credential` in `space`.
  ///
  /// - Parameter options: `NSURLCredentialStorageRemoveSynchronizableCredentials` with true to forget a synchronizable one as well.
  open func remove(_ credential: URLCredential, for space: URLProtectionSpace, options: [String: Any]? = nil) {
    let option = options?[NSURLCredentialStorageRemoveSynchronizableCredentials]
    let removesSynchronizable = (option as? Bool) ?? (option as? NSNumber)?.boolValue ?? false
    guard credential.persistence != .synchronizable || removesSynchronizable else { return }
    announce(table.withLock { $0.remove(credential, for: space) })
  }

  /// The credential to try for `space` without asking; nil if none was set.
  open func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
    table.withLock { $0.defaultCredential(for: space) }
  }

  /// Keeps `credential` for `space` and makes it the one to try without asking.
  open func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {
    announce(table.withLock { $0.set(credential, for: space, asDefault: true) })
  }

  /// Looks up the credentials for a task. The base class forwards to `credentials(for:)`.
  open func getCredentials(
    for protectionSpace: URLProtectionSpace, task: URLSessionTask, completionHandler: @escaping @Sendable ([String: URLCredential]?) -> Void
  ) {
    completionHandler(credentials(for: protectionSpace))
  }

  /// Looks up the credentials for a task. The base class forwards to the form with a completion handler.
  open func credentials(for protectionSpace: URLProtectionSpace, task: URLSessionTask) async -> [String: URLCredential]? {
    await withCheckedContinuation { continuation in
      getCredentials(for: protectionSpace, task: task) { continuation.resume(returning: $0) }
    }
  }

  /// Keeps a credential that a task used. The base class forwards to `set(_:for:)`.
  open func set(_ credential: URLCredential, for protectionSpace: URLProtectionSpace, task: URLSessionTask) {
    set(credential, for: protectionSpace)
  }

  /// Forgets a credential on behalf of a task. The base class forwards to `remove(_:for:options:)`.
  open func remove(
    _ credential: URLCredential, for protectionSpace: URLProtectionSpace, options: [String: Any]? = nil, task: URLSessionTask
  ) {
    remove(credential, for: protectionSpace, options: options)
  }

  /// Looks up the default credential for a task. The base class forwards to `defaultCredential(for:)`.
  open func getDefaultCredential(
    for space: URLProtectionSpace, task: URLSessionTask, completionHandler: @escaping @Sendable (URLCredential?) -> Void
  ) {
    completionHandler(defaultCredential(for: space))
  }

  /// Looks up the default credential for a task. The base class forwards to the form with a completion handler.
  open func defaultCredential(for space: URLProtectionSpace, task: URLSessionTask) async -> URLCredential? {
    await withCheckedContinuation { continuation in
      getDefaultCredential(for: space, task: task) { continuation.resume(returning: $0) }
    }
  }

  /// Keeps a default credential on behalf of a task. The base class forwards to `setDefaultCredential(_:for:)`.
  open func setDefaultCredential(_ credential: URLCredential, for protectionSpace: URLProtectionSpace, task: URLSessionTask) {
    setDefaultCredential(credential, for: protectionSpace)
  }

  private func announce(_ isChanged: Bool) {
    guard isChanged else { return }
    if Thread.isMainThread {
      NotificationCenter.default.post(name: .NSURLCredentialStorageChanged, object: self)
    } else {
      DispatchQueue.main.async { NotificationCenter.default.post(name: .NSURLCredentialStorageChanged, object: self) }
    }
  }
}
