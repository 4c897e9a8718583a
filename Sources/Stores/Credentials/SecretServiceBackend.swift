import CLoadingDesktop
import Dispatch
import Foundation
import LoadingModel

/// Credentials in the desktop's Secret Service: each is one item, with the password as its secret and everything else as its attributes.
///
/// The user is never prompted: a locked collection counts as absent.
package final class SecretServiceBackend: CredentialBackend {
  /// Seconds after which a call is cancelled.
  private static let timeout = 5.0
  private static let schema = "swift.URLLoadingSystem.Credential"

  private enum State {
    case usable
    /// A call has taken too long: the service isn't called again, so that no caller waits a second time.
    case silent
  }

  private let handle: Handle
  private let application: String
  private let state = Mutex(State.usable)
  /// The queue that cancels calls which take too long.
  private let timer = DispatchQueue(label: "secret service timeouts")

  /// nil if libsecret isn't installed, or the user has no session bus.
  package init?(application: String, environment: [String: String]) {
    guard SecretServiceBackend.hasBus(environment), let secrets = uls_secrets_create() else { return nil }
    handle = Handle(secrets)
    self.application = application
  }

  /// Whether the user has a D-Bus session bus. Checked here, because GLib would try to start one itself.
  private static func hasBus(_ environment: [String: String]) -> Bool {
    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return true }
    guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return false }
    return access(folder + "/bus", F_OK) == 0
  }

  package func read() throws -> CredentialList {
    try CredentialList(items().map(\.credential))
  }

  package func update(_ change: (inout CredentialList) -> Void) throws -> CredentialList {
    try call { uls_secrets_is_open($0, $1, $2) }
    let before = try items()
    var list = CredentialList(before.map(\.credential))
    change(&list)
    // New items are stored before old ones are deleted: a crash in between leaves one too many, never one too few.
    let kept = Set(list.credentials)
    for credential in list.credentials where !before.contains(where: { $0.credential == credential }) { try store(credential) }
    for item in before where !kept.contains(item.credential) {
      // The item with these attributes now has another password, because storing has replaced it: nothing to delete.
      guard !kept.contains(where: { attributes(of: $0) == item.attributes }) else { continue }
      try withAttributes(item.attributes) { list in try call { uls_secrets_delete($0, list, $1, $2) } }
    }
    return list
  }

  // MARK: items

  private func items() throws -> [FoundItems.Item] {
    let found = FoundItems()
    try withAttributes(["xdg:schema": SecretServiceBackend.schema, "application": application]) { list in
      try call { secrets, message, size in
        uls_secrets_search(
          secrets, list,
          { context, attributes, secret, length in
            guard let context, let attributes else { return }
            Unmanaged<FoundItems>.fromOpaque(context).takeUnretainedValue().add(attributes, secret, length)
          }, Unmanaged.passUnretained(found).toOpaque(), message, size)
      }
    }
    return found.items
  }

  private func store(_ credential: StoredCredential) throws {
    let label = "\(credential.user) at \(credential.space.host) (\(application))"
    let password = Array(credential.password.utf8)
    try withAttributes(attributes(of: credential)) { list in
      try call { uls_secrets_store($0, list, label, password, password.count, $1, $2) }
    }
  }

  private func attributes(of credential: StoredCredential) -> [String: String] {
    var result = ItemAttributes.make(credential)
    result["xdg:schema"] = SecretServiceBackend.schema
    result["application"] = application
    return result
  }

  // MARK: calls

  private final class Handle: @unchecked Sendable {
    // @unchecked: the pointer is immutable; the store's serial queue makes one call at a time, and `uls_secrets_cancel` may be called from any
    // thread.
    let secrets: OpaquePointer
    init(_ secrets: OpaquePointer) { self.secrets = secrets }
    deinit { uls_secrets_destroy(secrets) }
  }

  private func call(_ body: (OpaquePointer, UnsafeMutablePointer<CChar>, Int) -> Int32) throws {
    guard case .usable = state.withLock({ $0 }) else { throw failure("it didn't answer") }
    let handle = handle
    let cancellation = DispatchWorkItem { uls_secrets_cancel(handle.secrets) }
    timer.asyncAfter(deadline: .now() + SecretServiceBackend.timeout, execute: cancellation)
    var message = [CChar](repeating: 0, count: 256)
    let start = ContinuousClock.now
    let isDone = body(handle.secrets, &message, message.count)
    cancellation.cancel()
    // The cancellation may have begun just now: `sync` waits for it, and the reset keeps it from cancelling the next call.
    timer.sync { uls_secrets_reset(handle.secrets) }
    guard isDone == 0 else { return }
    if ContinuousClock.now - start >= .seconds(SecretServiceBackend.timeout) { state.withLock { $0 = .silent } }
    throw failure(String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  private func failure(_ reason: String) -> StoreFailure { StoreFailure(path: "the Secret Service", reason: reason) }

  /// Calls `body` with the attributes as C takes them: name, value, …, NULL.
  private func withAttributes(_ attributes: [String: String], _ body: ([UnsafePointer<CChar>?]) throws -> Void) throws {
    // C would end a string at its zero byte, and the attributes could be those of another credential.
    guard !attributes.values.contains(where: { $0.utf8.contains(0) }) else { throw failure("names with a zero byte can't be stored") }
    let strings = attributes.flatMap { [strdup($0.key), strdup($0.value)] }
    defer { for string in strings { free(string) } }
    try body(strings.map { UnsafePointer($0) } + [nil])
  }
}

/// Collects the items that a search finds.
private final class FoundItems {
  struct Item {
    let attributes: [String: String]
    let credential: StoredCredential
  }

  private(set) var items: [Item] = []

  func add(_ attributes: UnsafePointer<UnsafePointer<CChar>?>, _ secret: UnsafePointer<UInt8>?, _ length: Int) {
    var values: [String: String] = [:]
    var place = 0
    while let name = attributes[place], let value = attributes[place + 1] {
      values[String(cString: name)] = String(cString: value)
      place += 2
    }
    let password = String(decoding: UnsafeBufferPointer(start: secret, count: secret == nil ? 0 : length), as: UTF8.self)
    // Items with our schema that another program has stored with other attributes are ignored.
    guard let credential = ItemAttributes.credential(values, password: password) else { return }
    items.append(Item(attributes: values, credential: credential))
  }
}
