import CLoadingDesktop
import Dispatch
import Foundation
import LoadingModel

/// Credentials in the desktop's Secret Service: one item a credential, the password as its secret, everything else as its attributes.
///
/// The desktop is never made to ask its user for anything: a locked collection counts as one that isn't there.
package final class SecretServiceBackend: CredentialBackend {
  /// Seconds that one call may take.
  private static let timeout = 5.0
  private static let schema = "swift.URLLoadingSystem.Credential"

  private enum State {
    case usable
    /// A call took too long: the service isn't asked again, so that no caller waits twice.
    case silent
  }

  private let handle: Handle
  private let application: String
  private let state = Mutex(State.usable)
  /// Where calls that take too long are cancelled.
  private let timer = DispatchQueue(label: "secret service timeouts")

  /// Nil if the library isn't installed or the user has no message bus.
  package init?(application: String, environment: [String: String]) {
    guard SecretServiceBackend.hasBus(environment), let secrets = uls_secrets_create() else { return nil }
    handle = Handle(secrets)
    self.application = application
  }

  /// Without a look of our own GLib would try to start a bus by itself.
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
    // New items first: a crash in between leaves one too many and never one too few.
    let kept = Set(list.credentials)
    for credential in list.credentials where !before.contains(where: { $0.credential == credential }) { try store(credential) }
    for item in before where !kept.contains(item.credential) {
      // The same attributes with another password: replaced by now.
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
    // @unchecked: the pointer is immutable; the store's serial queue makes one call at a time, and `uls_secrets_cancel` may be called from
    // any thread.
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
    // It may have begun just now: what it has cancelled must not be the next call.
    timer.sync { uls_secrets_reset(handle.secrets) }
    guard isDone == 0 else { return }
    if ContinuousClock.now - start >= .seconds(SecretServiceBackend.timeout) { state.withLock { $0 = .silent } }
    throw failure(String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  private func failure(_ reason: String) -> StoreFailure { StoreFailure(path: "the Secret Service", reason: reason) }

  /// Calls `body` with C's form of attributes: name, value, …, NULL.
  private func withAttributes(_ attributes: [String: String], _ body: ([UnsafePointer<CChar>?]) throws -> Void) throws {
    // C would read a shorter string, and so another credential's.
    guard !attributes.values.contains(where: { $0.utf8.contains(0) }) else { throw failure("names with a zero byte can't be stored") }
    let strings = attributes.flatMap { [strdup($0.key), strdup($0.value)] }
    defer { for string in strings { free(string) } }
    try body(strings.map { UnsafePointer($0) } + [nil])
  }
}

/// What a search has found.
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
    // What another program has stored under our schema is left alone.
    guard let credential = ItemAttributes.credential(values, password: password) else { return }
    items.append(Item(attributes: values, credential: credential))
  }
}
