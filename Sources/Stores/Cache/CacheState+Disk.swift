/// What memory has of the disk, when the disk becomes available or unavailable, refuses, or is changed by others.
extension CacheState {
  /// Forgets what memory has of the disk: all of it, or that of some hashes. What only memory has stays.
  mutating func forgetDisk(_ hashes: Dictionary<Int64, Bool>.Keys?) {
    guard let hashes else {
      return groups.changeAll { CacheState.ownPart($0).map { ($0, $0.cost) } }
    }
    for hash in hashes {
      guard let group = groups.peek(hash) else { continue }
      guard let rest = CacheState.ownPart(group) else {
        groups.remove(hash)
        continue
      }
      groups.set(hash, rest, cost: rest.cost)
    }
  }

  private static func ownPart(_ group: CacheVariants) -> CacheVariants? {
    var rest = group.without { $0.home == .disk }
    rest?.knowledge = .part
    return rest
  }

  /// There is no disk after all: memory is all there is.
  mutating func loseDisk() {
    index = .none
    groups.changeAll { group in
      guard var rest = group.without({ $0.home == .disk && $0.body == nil }) else { return nil }
      for place in rest.entries.indices { rest.entries[place].home = .memory }
      rest.knowledge = .whole
      return (rest, rest.cost)
    }
  }

  /// A disk has come into use, of which memory knows nothing; false if there was one.
  mutating func gainDisk() -> Bool {
    guard index.isNone else { return false }
    index = .unread([])
    forgetCompleteness()
    return true
  }

  private mutating func forgetCompleteness() {
    groups.changeAll { group in
      var group = group
      group.knowledge = .part
      return (group, group.cost)
    }
  }

  /// The disk has refused a response: memory keeps it if it has the body.
  mutating func keepInMemory(_ response: StoredResponse) {
    let hash = CacheKey.hash(response.url)
    guard var group = groups.peek(hash), let place = group.entries.firstIndex(where: { $0.response.id == response.id }) else { return }
    guard group.entries[place].body != nil else { return remove(response.url) { $0.id == response.id } }
    group.entries[place].home = .memory
    keep(group, hash)
  }
}
