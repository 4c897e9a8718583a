import LoadingModel
import Foundation

/// What a cache knows without asking the disk, and what it has yet to tell it. A value; `ResponseCache` keeps it under its lock.
///
///     store, remove ─> memory at once, and `changes` ─> the writing thread ─> disk
///     look up       ─> memory; else disk, once the changes that concern the URL are there
struct CacheState {
  enum Draining {
    case idle
    case scheduled
  }

  /// Removals that wait for a disk that refuses them; beyond, all of it is removed.
  private static let waitingLimit = 1024

  var memoryCapacity: Int
  var diskCapacity: Int
  var index: CacheIndex
  var groups = LeastRecentlyUsed<Int64, CacheVariants>()
  var underWay = ResponsesUnderWay()
  private(set) var changes: [CacheChange] = []
  private(set) var uses: [Int64: Date] = [:]
  var draining = Draining.idle
  /// Bytes of bodies in `changes` and in the transaction that runs.
  private(set) var bytesHeld = 0
  /// Changes for a hash, or for all, that the disk doesn't have yet.
  private var pending: [Int64: Int] = [:]
  private var pendingForAll = 0
  /// Moves with every change, so that a look at the disk knows whether something has happened meanwhile; one for each hash modulo 256.
  private var epochs = [UInt64](repeating: 0, count: 256)

  init(memoryCapacity: Int, diskCapacity: Int, index: CacheIndex) {
    self.memoryCapacity = memoryCapacity
    self.diskCapacity = diskCapacity
    self.index = index
  }

  // MARK: looking up

  func holdsNothing(_ hash: Int64) -> Bool { index.answer(hash) == .nothing && !groups.contains(hash) }

  /// nil: the disk must be asked.
  mutating func candidates(_ url: String, _ hash: Int64) -> [StoredResponse]? {
    guard index.isCurrent else { return nil }
    guard let group = groups.value(hash) else { return index.answer(hash) == .nothing ? [] : nil }
    return group.knowledge == .whole ? group.responses(url) : nil
  }

  /// What memory has, which need not be everything that is stored.
  func remembered(_ url: String, _ hash: Int64) -> [StoredResponse] { groups.peek(hash)?.responses(url) ?? [] }

  func body(_ response: StoredResponse) -> Data? {
    groups.peek(CacheKey.hash(response.url))?.entries.first { $0.response.id == response.id }?.body ?? response.body
  }

  func isPending(_ hash: Int64) -> Bool { pendingForAll > 0 || pending[hash] != nil }

  func epoch(_ hash: Int64) -> UInt64 { epochs[Int(hash & 0xFF)] }

  /// Takes what the disk has for a hash, if nothing has happened since `epoch`; answers with all there is for `url`.
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

  /// A body that was read from disk, for the next time.
  mutating func absorb(_ body: Data, of response: StoredResponse) {
    let hash = CacheKey.hash(response.url)
    guard var group = groups.peek(hash), let place = group.entries.firstIndex(where: { $0.response.id == response.id }) else { return }
    group.entries[place].body = body
    keep(group, hash)
  }

  mutating func keep(_ group: CacheVariants, _ hash: Int64) {
    let cost = group.cost
    guard !group.entries.isEmpty, cost <= memoryCapacity else { return groups.remove(hash) }
    groups.set(hash, group, cost: cost)
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

  /// The index is about to be read again; what is on its way to the disk may be missing there.
  mutating func beginReadingIndex() {
    if case .read = index { index = .unread(Set(pending.keys)) }
  }

  /// The responses that only memory has.
  var ownResponses: [StoredResponse] {
    groups.values.flatMap { group in group.entries.filter { $0.home == .memory }.map(\.response) }
  }

  // MARK: what the disk is told

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

  /// Notes a use; returns how many wait to be written.
  mutating func note(use id: Int64, at date: Date) -> Int {
    uses[id] = date
    return uses.count
  }

  /// The next changes for one transaction; empty if there is nothing to do.
  mutating func take(_ limit: Int) -> (changes: [CacheChange], uses: [Int64: Date]) {
    let taken = Array(changes.prefix(limit))
    changes.removeFirst(taken.count)
    defer { uses = [:] }
    return (taken, uses)
  }

  /// The disk has refused `changes`: memory alone keeps what it can, and of everything that was to be told waits what must still happen.
  ///
  /// - Returns: The changes after them, which aren't tried any more.
  mutating func refuse(_ changes: [CacheChange]) -> [CacheChange] {
    let later = self.changes
    self.changes = []
    let all = changes + later
    settle(all)
    for case .store(let response, _) in all { keepInMemory(response) }
    let remainder = all.compactMap(\.remainder)
    // A disk that refuses for long mustn't cost ever more memory.
    for change in remainder.count > CacheState.waitingLimit ? [.removeAll] : remainder { enqueue(change) }
    draining = .idle
    return later
  }

  /// The transaction with `changes` is over.
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
