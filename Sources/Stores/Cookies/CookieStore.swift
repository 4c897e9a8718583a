import Foundation
import LoadingModel
import ProtocolRules

/// The cookies of one storage: a jar in memory, and for a persistent store a database that it mirrors.
///
/// Looking up costs no system call: a counter in shared memory tells whether another process has changed the store since it was read. Only
/// cookies with an end are written to disk; the others end with the process. Thread-safe. What blocks says so.
package final class CookieStore: Sendable {
  /// What a look-up gives.
  package enum Answer: Sendable {
    /// The `Cookie` field's value; nil if there are no cookies to send.
    case field(String?)
    /// The disk must be read first: `refresh`, then ask again.
    case outdated
  }

  struct State {
    var jar = CookieJar()
    /// The change count the jar was last read at; nil before it has been read.
    var readAt: UInt64?
    /// Changes on their way to the disk, oldest first.
    var pending: [CookieChange] = []
  }

  let state = Mutex(State())
  /// nil for a store in memory.
  private let disk: CookieDisk?
  /// Why there is no disk though one was asked for.
  private let absence: StoreFailure?
  private let now: @Sendable () -> Date
  private let onChange = Mutex<(@Sendable () -> Void)?>(nil)
  package let suffixes = SystemPublicSuffixes()

  /// - Parameters:
  ///   - file: The database; nil for a store that lives in memory.
  ///   - now: The time of day.
  package init(file: URL? = nil, now: @escaping @Sendable () -> Date = { Date() }) {
    absence = file.flatMap { SQLiteLibrary.failure(of: $0) }
    disk = absence == nil ? file.map { CookieDisk($0) } : nil
    self.now = now
  }

  /// Why cookies aren't kept on disk; nil if they are, or needn't be, or nothing has been read yet.
  package var failure: StoreFailure? { absence ?? disk?.failure }

  /// Called after each change, by this process or another, never on an event loop: before `write` returns, or else on a queue of its own.
  package func observe(_ action: @escaping @Sendable () -> Void) { onChange.withLock { $0 = action } }

  private func announce(_ isChanged: Bool) {
    guard isChanged, let action = onChange.withLock({ $0 }) else { return }
    action()
  }

  // MARK: for loads: never blocks

  /// Whether there is surely no cookie for `host`. Costs a hash and a short lock: the answer for most loads.
  package func holdsNothing(for host: String) -> Bool {
    state.withLock { state in
      if let disk, state.readAt != disk.changes { return false }
      return !state.jar.mayHold(host)
    }
  }

  /// The field to send with `request`.
  package func field(for request: CookieRequest) -> Answer {
    state.withLock { state in
      if let disk, state.readAt != disk.changes { return .outdated }
      guard state.jar.count > 0 || !request.attached.isEmpty else { return .field(nil) }
      return .field(field(for: request, &state.jar))
    }
  }

  package enum Outdated: Sendable { case tolerated }

  /// The same from what was read last, even if another process has changed the store since.
  package func field(for request: CookieRequest, outdated: Outdated) -> String? {
    state.withLock { field(for: request, &$0.jar) }
  }

  private func field(for request: CookieRequest, _ jar: inout CookieJar) -> String? {
    jar.field(for: request.url, partition: request.partition, beside: request.attached, now: now()) { request.party(suffixes) }
  }

  /// Reads what other processes have changed, off the caller's thread; then calls `completion` there.
  package func refresh(then completion: @escaping @Sendable () -> Void) {
    guard let disk else { return completion() }
    disk.queue.async { [self] in
      let isChanged = read(disk)
      completion()
      announceLater(isChanged)
    }
  }

  /// Stores what the response to `request` set; calls `completion` once that is on disk, or at once for a store in memory.
  package func receive(
    _ fields: [String], for request: CookieRequest, acceptance: CookieAcceptPolicy, then completion: @escaping @Sendable () -> Void
  ) {
    guard let disk else {
      guard SystemPublicSuffixes.isPrepared else {
        // The first cookie: the list of public suffixes is loaded off the event loop.
        return CookieStore.announcements.async { [self] in
          SystemPublicSuffixes.prepare()
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
    let cookies = fields.compactMap { field in
      var cookie = SetCookieField.parse(field, from: request.url, now: now)
      cookie?.partition = request.partition
      return cookie
    }
    guard !cookies.isEmpty else { return false }
    let party = request.party(suffixes)
    return change { jar in
      jar.receive(cookies, from: request.url, party: party, acceptance: acceptance, suffixes: suffixes, now: now)
    }
  }

  /// Observers are the app's code: they may ask this store, and take their time.
  private static let announcements = DispatchQueue(label: "URLLoadingSystem.cookie changes")

  private func announceLater(_ isChanged: Bool) {
    guard isChanged, onChange.withLock({ $0 != nil }) else { return }
    CookieStore.announcements.async { [self] in announce(true) }
  }

  // MARK: for the app: waits for the disk

  /// Reads the jar as it is now. Blocks.
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

  /// There are cookies now: loads will ask about public suffixes, on their event loops.
  private func prepareSuffixes() {
    guard !SystemPublicSuffixes.isPrepared else { return }
    CookieStore.announcements.async { SystemPublicSuffixes.prepare() }
  }

  /// Returns when everything that was changed before is on disk. Blocks.
  package func flush() {
    guard let disk else { return }
    disk.queue.sync { write(disk) }
  }

  /// Calls `completion` when everything that was changed before is on disk.
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

  /// On the disk's queue.
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
      // If another process wrote meanwhile, the jar is outdated by that and must stay so.
      state.withLock { if $0.readAt == before { $0.readAt = before + 1 } }
    case .writtenUnread: state.withLock { $0.readAt = nil }
    case .refused:
      // The disk is full or busy: tried again with the next change, and until then made again above whatever is read.
      state.withLock { $0.pending = changes.followed(by: $0.pending) }
    }
  }

  /// Writes what memory has into a file that was begun in the place of a damaged one, by this process or another. On the disk's queue.
  /// Answers whether the file has it now.
  private func refill(_ disk: CookieDisk) -> Bool {
    let now = now()
    return disk.fill(state.withLock { $0.jar.all(now: now) }.filter { $0.cookie.expires != nil }, now: now)
  }

  /// On the disk's queue. Answers whether the jar changed.
  private func read(_ disk: CookieDisk) -> Bool {
    write(disk)
    let now = now()
    let count = disk.changes
    var cookies = disk.cookies(now: now)
    // Where the new file can't be filled, memory alone has the cookies: it stays as it is.
    if disk.hasLost { cookies = refill(disk) ? disk.cookies(now: now) : nil }
    if cookies?.isEmpty == false { SystemPublicSuffixes.prepare() }
    return state.withLock { state in
      let isFirst = state.readAt == nil
      state.readAt = count
      guard let cookies else { return false }
      let isChanged = state.jar.mirror(cookies, now: now)
      state.jar.replay(state.pending)
      // What was there before the process began is no news.
      return isChanged && !isFirst
    }
  }
}

extension CookieChange {
  /// Whether the disk needs to know.
  var isPersistent: Bool {
    if case .put(let stored) = self { stored.cookie.expires != nil } else { true }
  }
}
