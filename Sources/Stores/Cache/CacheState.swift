import LoadingModel
import Foundation

/// A cache's responses in memory, and the changes to be written to disk. A value; `ResponseCache` keeps it under its lock.
///
///     store, remove ─> memory at once, and `changes` ─> the writing thread ─> disk
///     look up       ─> memory; else disk, once the changes that concern the URL are there
struct CacheState {
  enum Draining {
    case idle
    case scheduled
  }

  /// Maximum number of removals that wait for a disk that refuses changes; if there are more, they are replaced by the removal of everything.
  private static let waitingLimit = 1024

  var memoryCapacity: Int
  var diskCapacity: Int
  var index: CacheIndex
  var groups = LeastRecentlyUsed<Int64, CacheVariants>()
  var underWay = ResponsesUnderWay()
  private(set) var changes: [CacheChange] = []
  private(set) var uses: [Int64: Date] = [:]
  var draining = Draining.idle
  /// Bytes of bodies in changes that the disk doesn't have yet, those of the running transaction included.
  private(set) var bytesHeld = 0
  /// Numbers of changes that the disk doesn't have yet: by URL hash, and those that concern all URLs.
  private var pending: [Int64: Int] = [:]
  private var pendingForAll = 0
  /// Counts of changes, one for each hash modulo 256: by these a read of the disk notices that something was changed meanwhile.
  private var epochs = [UInt64](repeating: 0, count: 256)

  init(memoryCapacity: Int, diskCapacity: Int, index: CacheIndex) {
    self.memoryCapacity = memoryCapacity
    self.diskCapacity = diskCapacity
    self.index = index
  }

  // MARK: looking up

  func holdsNothing(_ hash: Int64) -> Bool { index.answer(hash) == .nothing && !groups.contains(hash) }

  /// The stored responses for the URL as memory knows them; nil if the disk must be asked.
  mutating func candidates(_ url: String, _ hash: Int64) -> [StoredResponse]? {
    guard index.isCurrent else { return nil }
    guard let group = groups.value(hash) else { return index.answer(hash) == .nothing ? [] : nil }
    return group.knowledge == .whole ? group.responses(url) : nil
  }

  /// The responses for the URL that memory has; the disk may have others.
  func remembered(_ url: String, _ hash: Int64) -> [StoredResponse] { groups.peek(hash)?.responses(url) ?? [] }

  func body(_ response: StoredResponse) -> Data? {
    // By index: an entry that is found would be copied, with all that it has beside the body.
    guard let entries = groups.peek(CacheKey.hash(response.url))?.entries,
      let index = entries.firstIndex(where: { $0.response.id == response.id })
    else { return response.body }
    return entries[index].body ?? response.body
  }

  func isPending(_ hash: Int64) -> Bool { pendingForAll > 0 || pending[hash] != nil }

  func epoch(_ hash: Int64) -> UInt64 { epochs[Int(hash & 0xFF)] }

  /// Takes over what was read from disk for a hash, unless the state has changed since `epoch`. Returns all responses for `url`, from memory and
  /// disk.
  mutating func absorb(_ found: [DiskCache.Found], _ url: String, _ hash: Int64, epoch: UInt64) -> [StoredResponse] {
    let old = groups.peek(hash)?.entries ?? []
    var group = CacheVariants(entries: old.filter { $0.home == .memory }, knowledge: .whole)
    for one in found {
      let known = old.first { $0.response.id == one.response.id && $0.home == .disk }
      group.entries.append(CacheVariants.Entry(response: known?.response ?? one.response, body: one.body ?? known?.body, home: .disk))
    }
    if group.entries.count > 1 { group.entries.sort { $0.response.responseTime > $1.response.responseTime } }
    if epoch == self.epoch(hash), index.isCurrent { keep(group, hash) }
    return group.entries.compactMap { entry in
      guard entry.response.url == url else { return nil }
      var response = entry.response
      response.body = entry.body
      return response
    }
  }

  /// Keeps a body that was read from disk in memory, for the next time.
  mutating func absorb(_ body: Data, of response: StoredResponse) {
    let hash = CacheKey.hash(response.url)
    guard var group = groups.peek(hash), let place = group.entries.firstIndex(where: { $0.response.id == response.id }) else { return }
    group.entries[place].body = body
    keep(group, hash)
  }

  mutating func keep(_ group: CacheVariants, _ hash: Int64) {
    let group = group.fitting(memoryCapacity)
    guard !group.entries.isEmpty else { return groups.remove(hash) }
    groups.set(hash, group, cost: group.cost)
    groups.shrink(to: memoryCapacity)
  }

  // MARK: changing

  mutating func put(_ entry: CacheVariants.Entry) {
    let hash = CacheKey.hash(entry.response.url)
    let knowledge: CacheVariants.Knowledge = index.answer(hash) == .nothing ? .whole : .part
    var group = groups.peek(hash) ?? CacheVariants(knowledge: knowledge)
    group.put(entry)
    keep(group, hash)
    if entry.home == .disk { index.insert(hash) }
  }

  mutating func update(_ response: StoredResponse) -> CacheVariants.Home {
    let hash = CacheKey.hash(response.url)
    guard var group = groups.peek(hash), let place = group.entries.firstIndex(where: { $0.response.id == response.id }) else {
      return .disk
    }
    group.entries[place].response = response
    let home = group.entries[place].home
    keep(group, hash)
    return home
  }

  mutating func remove(_ url: String, where isDropped: (StoredResponse) -> Bool) {
    let hash = CacheKey.hash(url)
    guard let group = groups.peek(hash) else { return }
    guard let rest = group.without({ $0.response.url == url && isDropped($0.response) }) else { return groups.remove(hash) }
    keep(rest, hash)
  }

  mutating func removeStored(after date: Date) {
    groups.changeAll { group in
      group.without { $0.response.responseTime > date }.map { ($0, $0.cost) }
    }
  }

  mutating func removeAll() {
    groups.removeAll()
    index.removeAll()
  }

  mutating func shrinkMemory(to capacity: Int) {
    memoryCapacity = capacity
    groups.shrink(to: capacity)
  }

  /// Prepares for reading the index again: hashes of changes that aren't written yet are remembered, because they may be missing on disk.
  mutating func beginReadingIndex() {
    if case .read = index { index = .unread(Set(pending.keys)) }
  }

  /// The responses that only memory has, not the disk.
  var ownResponses: [StoredResponse] {
    groups.values.flatMap { group in group.entries.filter { $0.home == .memory }.map(\.response) }
  }

  // MARK: changes for the disk

  mutating func enqueue(_ change: CacheChange) {
    changes.append(change)
    bytesHeld += change.bytesHeld
    guard let url = change.url else {
      pendingForAll += 1
      for place in epochs.indices { epochs[place] &+= 1 }
      return
    }
    let hash = CacheKey.hash(url)
    pending[hash, default: 0] += 1
    epochs[Int(hash & 0xFF)] &+= 1
  }

  /// Notes that a response was used. Returns how many uses wait to be written.
  mutating func note(use id: Int64, at date: Date) -> Int {
    uses[id] = date
    return uses.count
  }

  /// Takes the next changes, `limit` at most, and all noted uses for one transaction.
  mutating func take(_ limit: Int) -> (changes: [CacheChange], uses: [Int64: Date]) {
    let taken = Array(changes.prefix(limit))
    changes.removeFirst(taken.count)
    defer { uses = [:] }
    return (taken, uses)
  }

  /// The disk has refused `changes`: responses stay in memory where they can, and of all waiting changes only the removals that must still happen are
  /// kept.
  ///
  /// - Returns: The changes that waited behind them, which are dropped: their body files can be removed.
  mutating func refuse(_ changes: [CacheChange]) -> [CacheChange] {
    let later = self.changes
    self.changes = []
    let all = changes + later
    settle(all)
    for case .store(let response, _) in all { keepInMemory(response) }
    let remainder = all.compactMap(\.remainder)
    // The number of waiting removals is bounded, even if the disk refuses for long.
    for change in remainder.count > CacheState.waitingLimit ? [.removeAll] : remainder { enqueue(change) }
    draining = .idle
    return later
  }

  /// The transaction with `changes` is over: they don't count as waiting any more.
  mutating func settle(_ changes: [CacheChange]) {
    for change in changes {
      bytesHeld -= change.bytesHeld
      guard let url = change.url else {
        pendingForAll -= 1
        continue
      }
      let hash = CacheKey.hash(url)
      let rest = (pending[hash] ?? 1) - 1
      pending[hash] = rest > 0 ? rest : nil
    }
  }
}
