import Foundation
import LoadingModel
import ProtocolRules

/// The cookies of one storage: a jar in memory, which mirrors a database if the store is persistent.
///
/// Looking up takes no system call: a counter in shared memory tells whether another process has changed the store since it was read. Cookies without
/// an expiry date aren't written to disk, and end with the process. Thread-safe. Functions that block say so.
package final class CookieStore: Sendable {
  /// The result of a look-up.
  package enum Answer: Sendable {
    /// The `Cookie` field's value; nil if there are no cookies to send.
    case field(String?)
    /// Another process has changed the store: `refresh` must be called first.
    case outdated
  }

  struct State {
    var jar = CookieJar()
    /// The change count at which the jar was read; nil if it hasn't been read.
    var readAt: UInt64?
    /// Changes that aren't on disk yet, oldest first.
    var pending: [CookieChange] = []
  }

  let state = Mutex(State())
  /// nil for a store in memory.
  private let disk: CookieDisk?
  /// Why the store has no disk although a file was given: SQLite is missing.
  private let absence: StoreFailure?
  private let now: @Sendable () -> Date
  // In a struct: a function that is a generic type's value itself is wrapped into another one each time that it is accessed.
  private struct Observer {
    let action: @Sendable () -> Void
  }
  private let onChange = Mutex<Observer?>(nil)
  package let suffixes = SystemPublicSuffixes()

  /// - Parameters:
  ///   - file: The database; nil for a store that lives in memory.
  ///   - now: The time of day.
  package init(file: URL? = nil, now: @escaping @Sendable () -> Date = { Date() }) {
    absence = file.flatMap { SQLiteLibrary.failure(of: $0) }
    disk = absence == nil ? file.map { CookieDisk($0) } : nil
    self.now = now
  }

  /// Why cookies aren't kept on disk; nil if they are, if the store is in memory, or if nothing has been read yet.
  package var failure: StoreFailure? { absence ?? disk?.failure }

  /// Has `action` called after each change, by this process or another: before `write` returns, or else on a queue of its own. Never on an event
  /// loop.
  package func observe(_ action: @escaping @Sendable () -> Void) { onChange.withLock { $0 = Observer(action: action) } }

  private func announce(_ isChanged: Bool) {
    guard isChanged, let observer = onChange.withLock({ $0 }) else { return }
    observer.action()
  }

  // MARK: for loads: never blocks

  /// Whether there is certainly no cookie for `host`. Cheap, a hash and a short lock, because most loads need no more.
  package func holdsNothing(for host: String) -> Bool {
    state.withLock { state in
      if let disk, state.readAt != disk.changes { return false }
      return !state.jar.mayHold(host)
    }
  }

  /// The `Cookie` field for `request`.
  package func field(for request: CookieRequest) -> Answer {
    state.withLock { state in
      if let disk, state.readAt != disk.changes { return .outdated }
      guard state.jar.count > 0 || !request.attached.isEmpty else { return .field(nil) }
      return .field(field(for: request, &state.jar))
    }
  }

  package enum Outdated: Sendable { case tolerated }

  /// The `Cookie` field for `request`, from what was last read, even if another process has changed the store since.
  package func field(for request: CookieRequest, outdated: Outdated) -> String? {
    state.withLock { field(for: request, &$0.jar) }
  }

  private func field(for request: CookieRequest, _ jar: inout CookieJar) -> String? {
    jar.field(for: request.url, partition: request.partition, beside: request.attached, now: now()) { request.party(suffixes) }
  }

  /// Reads the changes of other processes on another thread, and calls `completion` there.
  package func refresh(then completion: @escaping @Sendable () -> Void) {
    guard let disk else { return completion() }
    disk.queue.async { [self] in
      let isChanged = read(disk)
      completion()
      announceLater(isChanged)
    }
  }

  /// Stores the cookies that a response has set; calls `completion` once they are on disk, or at once for a store in memory.
  package func receive(
    _ fields: [String], for request: CookieRequest, acceptance: CookieAcceptPolicy, then completion: @escaping @Sendable () -> Void
  ) {
    guard let disk else {
      guard SystemPublicSuffixes.isPrepared else {
        // The list of public suffixes, which the first cookie needs, is loaded on another thread than the event loop.
        return SystemPublicSuffixes.prepare { [self] in
          receive(fields, for: request, acceptance: acceptance, then: completion)
        }
      }
      let isChanged = take(fields, request, acceptance)
      completion()
      return announceLater(isChanged)
    }
    disk.queue.async { [self] in
      let isOthers = isOutdated(disk) && read(disk)
      let isOwn = take(fields, request, acceptance)
      write(disk)
      completion()
      announceLater(isOthers || isOwn)
    }
  }

  private func take(_ fields: [String], _ request: CookieRequest, _ acceptance: CookieAcceptPolicy) -> Bool {
    let now = now()
    var cookies: [Cookie] = []
    for field in fields {
      guard cookies.count < CookieJar.maximumPerResponse else { break }
      guard var cookie = SetCookieField.parse(field, from: request.url, now: now) else { continue }
      cookie.partition = request.partition
      cookies.append(cookie)
    }
    guard !cookies.isEmpty else { return false }
    let party = request.party(suffixes)
    return change { jar in
      jar.receive(cookies, from: request.url, party: party, acceptance: acceptance, suffixes: suffixes, now: now)
    }
  }

  /// The queue on which observers are called: they are the app's code, may use this store, and may take long.
  private static let announcements = DispatchQueue(label: "URLLoadingSystem.cookie changes")

  private func announceLater(_ isChanged: Bool) {
    guard isChanged, onChange.withLock({ $0 != nil }) else { return }
    CookieStore.announcements.async { [self] in announce(true) }
  }

  // MARK: for the app: waits for the disk

  /// Calls `body` with the jar, after reading the changes of other processes. Blocks.
  package func read<Value>(_ body: (inout CookieJar, Date) -> sending Value) -> Value {
    if let disk, isOutdated(disk) { announceLater(disk.queue.sync { read(disk) }) }
    let now = now()
    return state.withLock { body(&$0.jar, now) }
  }

  /// Changes the jar; when this returns, the change is on disk and has been announced. Blocks.
  package func write(_ body: (inout CookieJar, Date) -> [CookieChange]) {
    prepareSuffixes()
    guard let disk else {
      let now = now()
      return announce(change { body(&$0, now) })
    }
    let isChanged = disk.queue.sync {
      let isOthers = isOutdated(disk) && read(disk)
      let now = now()
      let isOwn = change { body(&$0, now) }
      write(disk)
      return isOthers || isOwn
    }
    announce(isChanged)
  }

  /// Loads the list of public suffixes in the background, because loads will need it on event loops.
  private func prepareSuffixes() {
    guard !SystemPublicSuffixes.isPrepared else { return }
    SystemPublicSuffixes.prepare {}
  }

  /// Returns when all changes so far are on disk, or the disk has refused them. Blocks.
  package func flush() {
    guard let disk else { return }
    disk.queue.sync { write(disk) }
  }

  /// Calls `completion` when all changes so far are on disk, or the disk has refused them.
  package func flush(then completion: @escaping @Sendable () -> Void) {
    guard let disk else { return completion() }
    disk.queue.async { [self] in
      write(disk)
      completion()
    }
  }

  // MARK: the disk's queue

  private func isOutdated(_ disk: CookieDisk) -> Bool { state.withLock { $0.readAt != disk.changes } }

  private func change(_ body: (inout CookieJar) -> [CookieChange]) -> Bool {
    state.withLock { state in
      let changes = body(&state.jar)
      if disk != nil { state.pending += changes.filter(\.isPersistent) }
      return !changes.isEmpty
    }
  }

  /// Writes the pending changes. On the disk's queue.
  private func write(_ disk: CookieDisk) {
    let changes = state.withLock { state in
      defer { state.pending = [] }
      return state.pending
    }
    guard !changes.isEmpty else { return }
    let outcome = disk.commit(changes, now: now())
    if disk.hasLost { _ = refill(disk) }
    switch outcome {
    case .written(let before):
      // If another process wrote meanwhile, `readAt` differs, and must stay as it is: the jar is outdated then.
      state.withLock { if $0.readAt == before { $0.readAt = before + 1 } }
    case .writtenUnread: state.withLock { $0.readAt = nil }
    case .refused:
      // The disk is full or busy: the changes stay pending, are tried again with the next one, and are applied to the jar after each read.
      state.withLock { $0.pending = changes.followed(by: $0.pending) }
    }
  }

  /// Writes the cookies in memory to a file that has replaced a damaged one. On the disk's queue. Returns whether the file has them now.
  private func refill(_ disk: CookieDisk) -> Bool {
    let now = now()
    return disk.fill(state.withLock { $0.jar.all(now: now) }.filter { $0.cookie.expires != nil }, now: now)
  }

  /// Reads the database into the jar. On the disk's queue. Returns whether the jar has changed.
  private func read(_ disk: CookieDisk) -> Bool {
    write(disk)
    let now = now()
    let count = disk.changes
    var cookies = disk.cookies(now: now)
    // If the new file can't be filled, the jar stays as it is, because only memory has the cookies.
    if disk.hasLost { cookies = refill(disk) ? disk.cookies(now: now) : nil }
    if cookies?.isEmpty == false { SystemPublicSuffixes.prepare() }
    return state.withLock { state in
      let isFirst = state.readAt == nil
      state.readAt = count
      guard let cookies else { return false }
      let isChanged = state.jar.mirror(cookies, now: now)
      state.jar.replay(state.pending)
      // The first read is no change for observers: those cookies were there before.
      return isChanged && !isFirst
    }
  }
}

extension CookieChange {
  /// Whether the change must be written to disk: not that of a cookie without an expiry date.
  var isPersistent: Bool {
    if case .put(let stored) = self { stored.cookie.expires != nil } else { true }
  }
}
