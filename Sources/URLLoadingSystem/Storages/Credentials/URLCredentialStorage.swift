import Foundation
import LoadingModel
import Stores

/// Keeps password credentials by protection space: in memory, and those that are to be permanent beyond the process.
///
/// `shared` keeps credentials with the persistence `.permanent` or `.synchronizable` in the desktop's Secret Service where one runs and
/// is open, else in an encrypted file of the user's; other processes of the same app see them. A storage of one's own, such as that of an
/// ephemeral configuration, keeps everything in memory, as long as the object lives. Identities are never kept beyond the process.
///
/// Every member may be used from any thread; with `shared` the first look and each change of a permanent credential may wait for the
/// disk, or seconds for the Secret Service. Nothing here asks the user or fails: what can't be written down is kept in memory. A change
/// posts `NSURLCredentialStorageChanged` on the main queue; one that another process has made, once this process looks.
open class URLCredentialStorage: NSObject, @unchecked Sendable {
  // @unchecked: `table` and `permanent` are immutable and thread-safe themselves; subclasses answer for what they add.
  /// The credentials of the process. They take precedence over a permanent one of the same user.
  private let table = ProcessCredentials()
  private let permanent: PermanentCredentials?
  private static let sharedStorage = URLCredentialStorage(permanent: .standard)

  /// A new storage, empty and in memory alone.
  public override init() {
    permanent = nil
    super.init()
  }

  /// A storage whose permanent credentials are kept in `store`.
  package init(permanent store: CredentialStore) {
    permanent = PermanentCredentials(store)
    super.init()
  }

  /// The app's shared storage, which keeps permanent credentials beyond the process.
  open class var shared: URLCredentialStorage { sharedStorage }

  /// The credentials for `space` by user name; nil if there are none.
  open func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
    let kept = permanentTable.credentials(for: space)
    guard let own = table.current.credentials(for: space) else { return kept }
    return kept?.merging(own) { $1 } ?? own
  }

  /// Every credential, by space and by user name.
  open var allCredentials: [URLProtectionSpace: [String: URLCredential]] {
    permanentTable.all.merging(table.current.all) { kept, own in kept.merging(own) { $1 } }
  }

  /// Keeps `credential` for `space`, in place of the one that the user had there. The first credential of a space becomes its default.
  ///
  /// A credential without user name, or whose persistence is `.none`, isn't kept. One for the session hides a permanent one of the same
  /// user until the process ends.
  open func set(_ credential: URLCredential, for space: URLProtectionSpace) {
    let isFirst = permanentTable.credentials(for: space) == nil && table.current.credentials(for: space) == nil
    keep(credential, for: space, asDefault: isFirst)
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
    announce(table.change { $0.remove(credential, for: space) })
    guard let permanent, let user = credential.user, permanentTable.credentials(for: space)?[user] == credential else { return }
    permanent.forget(user, for: space)
    _ = permanentTable
  }

  /// The credential to send for `space` without asking the delegate; nil if none was set.
  open func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
    if let own = table.current.defaultCredential(for: space) { return own }
    guard let kept = permanentTable.defaultCredential(for: space), let user = kept.user else { return nil }
    return table.current.credentials(for: space)?[user] ?? kept
  }

  /// Keeps `credential` for `space` and makes it the default, which is sent without asking the delegate.
  open func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {
    keep(credential, for: space, asDefault: true)
  }

  /// Looks up the credentials for a task. The base class forwards to `credentials(for:)`.
  @preconcurrency
  open func getCredentials(
    for protectionSpace: URLProtectionSpace, task: URLSessionTask, completionHandler: @escaping @Sendable ([String: URLCredential]?) -> Void
  ) {
    answer { [self] in completionHandler(credentials(for: protectionSpace)) }
  }

  /// Looks up the credentials for a task. The base class forwards to the form with a completion handler.
  open func credentials(for protectionSpace: URLProtectionSpace, task: URLSessionTask) async -> [String: URLCredential]? {
    await firstAnswer { getCredentials(for: protectionSpace, task: task, completionHandler: $0) }
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
  @preconcurrency
  open func getDefaultCredential(
    for space: URLProtectionSpace, task: URLSessionTask, completionHandler: @escaping @Sendable (URLCredential?) -> Void
  ) {
    answer { [self] in completionHandler(defaultCredential(for: space)) }
  }

  /// Looks up the default credential for a task. The base class forwards to the form with a completion handler.
  open func defaultCredential(for space: URLProtectionSpace, task: URLSessionTask) async -> URLCredential? {
    await firstAnswer { getDefaultCredential(for: space, task: task, completionHandler: $0) }
  }

  /// Keeps a default credential on behalf of a task. The base class forwards to `setDefaultCredential(_:for:)`.
  open func setDefaultCredential(_ credential: URLCredential, for protectionSpace: URLProtectionSpace, task: URLSessionTask) {
    setDefaultCredential(credential, for: protectionSpace)
  }

  /// Runs `body` at once if the permanent credentials can be read without blocking, otherwise on another thread.
  private func answer(_ body: @escaping @Sendable () -> Void) {
    if permanent?.isReady ?? true { body() } else { DispatchQueue.global().async(execute: body) }
  }

  /// The permanent credentials as they are now; posts the notification if another process has changed them.
  private var permanentTable: CredentialTable {
    guard let look = permanent?.look() else { return CredentialTable() }
    announce(look.isChanged)
    return look.table
  }

  private func keep(_ credential: URLCredential, for space: URLProtectionSpace, asDefault: Bool) {
    switch credential.persistence {
    case .permanent, .synchronizable:
      guard let permanent, let user = credential.user, credential.hasPassword else { break }
      _ = permanentTable
      var wasDefault = false
      _ = table.change { table in
        wasDefault = table.defaultCredential(for: space)?.user == user
        let isRemoved = table.removeAll(of: user, for: space)
        let isDefaultRemoved = asDefault && table.removeDefault(for: space)
        return isRemoved || isDefaultRemoved
      }
      permanent.keep(credential, for: space, asDefault: asDefault || wasDefault)
      _ = permanentTable
      return
    case .none, .forSession: break
    }
    announce(table.change { $0.set(credential, for: space, asDefault: asDefault) })
  }

  private func announce(_ isChanged: Bool) {
    guard isChanged else { return }
    if Thread.isMainThread {
      NotificationCenter.default.post(name: .NSURLCredentialStorageChanged, object: self)
    } else {
      DispatchQueue.main.async { NotificationCenter.default.post(name: .NSURLCredentialStorageChanged, object: self) }
    }
  }

  /// Removes all credentials of all protection spaces, permanent and synchronizable ones too.
  func removeAll() {
    for (space, byUser) in allCredentials {
      for credential in byUser.values {
        remove(credential, for: space, options: [NSURLCredentialStorageRemoveSynchronizableCredentials: true])
      }
    }
    // Left are permanent credentials that were hidden by one for the session, and those stored meanwhile.
    guard let permanent, !permanentTable.all.isEmpty else { return }
    permanent.forgetAll()
    _ = permanentTable
  }
}
