/// Which URLs the disk holds something for, as far as it is known without asking.
enum CacheIndex: Sendable {
  /// There is no disk.
  case none
  /// Not read yet; with the hashes of what this process stores meanwhile.
  case unread(Set<Int64>)
  case read(Hashes)

  struct Hashes: Sendable {
    var hashes: Set<Int64>
    let counter: ChangeCounter
    /// The counter's value that is accounted for.
    var syncedAt: UInt64
    /// The number in `changes` that is accounted for.
    var sequence: Int64

    var isCurrent: Bool { counter.value == syncedAt }
  }

  enum Answer {
    case nothing
    case perhaps
  }

  func answer(_ hash: Int64) -> Answer {
    switch self {
    case .none: .nothing
    case .unread: .perhaps
    case .read(let index): index.isCurrent && !index.hashes.contains(hash) ? .nothing : .perhaps
    }
  }

  /// Whether memory's copies may be used: no other process has changed anything since they were read.
  var isCurrent: Bool {
    switch self {
    case .none: true
    case .unread: false
    case .read(let index): index.isCurrent
    }
  }

  var isNone: Bool { if case .none = self { true } else { false } }

  /// The last change accounted for, if there are later ones.
  var staleSequence: Int64? {
    if case .read(let index) = self, !index.isCurrent { index.sequence } else { nil }
  }

  /// What this process may have stored without the reader of the index having seen it.
  var additions: Set<Int64> {
    switch self {
    case .none: []
    case .unread(let hashes): hashes
    case .read(let index): index.hashes
    }
  }

  mutating func insert(_ hash: Int64) {
    switch self {
    case .none: break
    case .unread(var hashes):
      self = .none
      hashes.insert(hash)
      self = .unread(hashes)
    case .read(var index):
      // Taken out while it is changed: a second reference would copy the whole set.
      self = .none
      index.hashes.insert(hash)
      self = .read(index)
    }
  }

  mutating func removeAll() {
    switch self {
    case .none: break
    case .unread: self = .unread([])
    case .read(var index):
      index.hashes = []
      self = .read(index)
    }
  }

  /// Accounts for a transaction of this process's own, `before` being the counter's value it found.
  mutating func settle(_ outcome: CacheOutcome, gone: [Int64], countBefore before: UInt64) {
    guard case .read(var index) = self else { return }
    self = .none
    for hash in gone { index.hashes.remove(hash) }
    if index.sequence == outcome.sequenceBefore {
      index.sequence = outcome.sequence
      // Otherwise another process has bumped it: its news are still to be read.
      if index.syncedAt == before { index.syncedAt = before &+ 1 }
    } else {
      // Another process has committed and perhaps not lived to bump the counter.
      index.syncedAt = before &- 1
    }
    self = .read(index)
  }

  /// Accounts for what other processes have changed, which were `news` when the counter was `count`.
  mutating func apply(_ news: [Int64: Bool], sequence: Int64, count: UInt64) {
    guard case .read(var index) = self else { return }
    self = .none
    for (hash, isHeld) in news {
      if isHeld { index.hashes.insert(hash) } else { index.hashes.remove(hash) }
    }
    index.sequence = max(index.sequence, sequence)
    index.syncedAt = count
    self = .read(index)
  }
}
