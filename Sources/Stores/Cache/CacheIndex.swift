/// The set of URL hashes with stored responses on disk, as far as this process knows it without reading the disk.
enum CacheIndex: Sendable {
  /// The cache has no disk.
  case none
  /// The index hasn't been read; the set has the hashes that this process has stored meanwhile.
  case unread(Set<Int64>)
  case read(Hashes)

  struct Hashes: Sendable {
    var hashes: Set<Int64>
    let counter: ChangeCounter
    /// Value of the change counter up to which all changes are in `hashes`.
    var syncedAt: UInt64
    /// Number in the table `changes` up to which all changes are in `hashes`.
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

  /// Whether responses in memory may be used without the disk: no other process has changed anything since they were read.
  var isCurrent: Bool {
    switch self {
    case .none: true
    case .unread: false
    case .read(let index): index.isCurrent
    }
  }

  var isNone: Bool { if case .none = self { true } else { false } }

  /// The number of the last change that is in the index, if other processes have made later ones; nil if the index is current or unread.
  var staleSequence: Int64? {
    if case .read(let index) = self, !index.isCurrent { index.sequence } else { nil }
  }

  /// Hashes that this process may have stored, which are added to the index when it is read from disk.
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
      // Taken out of `self` while it is changed, because a second reference would make the set copy itself.
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

  /// Adds the result of a transaction of this process to the index. `before` is the counter's value just before this process's bump.
  mutating func settle(_ outcome: CacheOutcome, gone: [Int64], countBefore before: UInt64) {
    guard case .read(var index) = self else { return }
    self = .none
    for hash in gone { index.hashes.remove(hash) }
    if index.sequence == outcome.sequenceBefore {
      index.sequence = outcome.sequence
      // If the counter isn't where this process left it, another process has bumped it, and its changes are still to be read.
      if index.syncedAt == before { index.syncedAt = before &+ 1 }
    } else {
      // Another process has committed changes, but may have been killed before its bump: the index counts as outdated, so that they are read.
      index.syncedAt = before &- 1
    }
    self = .read(index)
  }

  /// Adds changes of other processes, read when the counter was `count`: for each hash whether the disk still has responses.
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
