/// How the state in memory follows the disk: when it becomes available or unavailable, refuses a response, or is changed by other processes.
extension CacheState {
  /// Forgets responses that are on disk, those of some hashes or all if nil; they are read again when they are needed. Responses that only memory has
  /// stay.
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

  /// The disk can't be used: what memory has is all there is from now on.
  mutating func loseDisk() {
    index = .none
    groups.changeAll { group in
      guard var rest = group.without({ $0.home == .disk && $0.body == nil }) else { return nil }
      for place in rest.entries.indices { rest.entries[place].home = .memory }
      rest.knowledge = .whole
      return (rest, rest.cost)
    }
  }

  /// Begins to use a disk that wasn't used so far; its index counts as unread. false if one is in use already.
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

  /// The disk has refused a response: it is kept in memory if its body is there, and removed otherwise.
  mutating func keepInMemory(_ response: StoredResponse) {
    let hash = CacheKey.hash(response.url)
    guard var group = groups.peek(hash), let place = group.entries.firstIndex(where: { $0.response.id == response.id }) else { return }
    guard group.entries[place].body != nil else { return remove(response.url) { $0.id == response.id } }
    group.entries[place].home = .memory
    keep(group, hash)
  }
}
