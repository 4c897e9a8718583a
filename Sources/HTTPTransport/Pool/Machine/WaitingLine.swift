/// The loads that wait in one group of the pool, ordered by priority, and by arrival within a priority.
///
/// Joining, leaving and serving take the same time however many loads wait.
struct WaitingLine {
  typealias WaiterID = Int

  /// The properties by which waiting loads are grouped: their priority, and the peer acceptances that they tolerate.
  private struct Kind: Equatable {
    let priority: Float
    let takes: PeerAcceptance

    /// - Parameter priority: A NaN is no order: it counts as the default.
    init(priority: Float, takes: PeerAcceptance) {
      self.priority = priority.isNaN ? 0.5 : priority
      self.takes = takes
    }
  }

  /// The waiting loads of one kind, in the order of their ids. Some of the ids may have left.
  private struct Rank {
    let kind: Kind
    var ids: [WaiterID] = []
    var head = 0
    /// The number of ids that haven't left.
    var live = 0

    mutating func insert(_ id: WaiterID) {
      live += 1
      guard let last = ids.last, last > id else { return ids.append(id) }
      var (low, high) = (head, ids.count)
      while low < high {
        let middle = (low + high) / 2
        if ids[middle] < id { low = middle + 1 } else { high = middle }
      }
      ids.insert(id, at: low)
    }
  }

  /// Highest priority first.
  private var ranks: [Rank] = []
  private var kinds: [WaiterID: Kind] = [:]

  var isEmpty: Bool { kinds.isEmpty }
  var count: Int { kinds.count }
  var first: WaiterID? { next { _ in true }?.id }

  /// All waiting loads, the next one first.
  var all: [WaiterID] {
    let standing = ranks.flatMap { rank in rank.ids[rank.head...].filter { kinds[$0] != nil }.map { ($0, rank.kind.priority) } }
    return standing.sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 > $1.1 }.map(\.0)
  }

  /// Adds a load. Ids ascend in the order of arrival: a load that comes back with a lower id precedes later ones.
  mutating func join(_ id: WaiterID, priority: Float, takes: PeerAcceptance) {
    let kind = Kind(priority: priority, takes: takes)
    kinds[id] = kind
    let position = ranks.firstIndex { $0.kind == kind }
    if let position {
      ranks[position].insert(id)
    } else {
      ranks.insert(Rank(kind: kind, ids: [id], live: 1), at: ranks.firstIndex { $0.kind.priority < kind.priority } ?? ranks.count)
    }
  }

  /// Removes `id`, if it waits here.
  mutating func leave(_ id: WaiterID) {
    guard let kind = kinds.removeValue(forKey: id), let index = ranks.firstIndex(where: { $0.kind == kind }) else { return }
    ranks[index].live -= 1
    if ranks[index].live == 0 { ranks.remove(at: index) } else { tidy(index) }
  }

  /// Removes `id` if its load can use a connection with this peer acceptance; returns whether it could.
  mutating func leave(_ id: WaiterID, for acceptance: PeerAcceptance) -> Bool {
    guard kinds[id]?.takes.contains(acceptance) == true else { return false }
    leave(id)
    return true
  }

  /// The next load that can use a connection with this peer acceptance.
  func next(for acceptance: PeerAcceptance) -> (id: WaiterID, priority: Float)? { next { $0.contains(acceptance) } }

  /// Removes and returns the next load that isn't in `spared`.
  mutating func popFirst(sparing spared: Set<WaiterID>) -> WaiterID? {
    guard let first, spared.contains(first) else { return popFirst() }
    let id = all.first { !spared.contains($0) }
    if let id { leave(id) }
    return id
  }

  /// Removes and returns the next load that can use a connection with this peer acceptance; with nil, the next load of all.
  mutating func popFirst(for acceptance: PeerAcceptance? = nil) -> WaiterID? {
    let id = acceptance.map { next(for: $0)?.id } ?? first
    if let id { leave(id) }
    return id
  }

  /// The number of loads that can use none of the connections with these peer acceptances.
  func count(unservedBy acceptances: some Sequence<PeerAcceptance>) -> Int {
    ranks.reduce(0) { sum, rank in acceptances.contains { rank.kind.takes.contains($0) } ? sum : sum + rank.live }
  }

  private func next(_ fits: (PeerAcceptance) -> Bool) -> (id: WaiterID, priority: Float)? {
    var best: (id: WaiterID, priority: Float)?
    for rank in ranks where fits(rank.kind.takes) {
      if let best, best.priority > rank.kind.priority { break }
      let id = rank.ids[rank.head]
      if best.map({ id < $0.id }) ?? true { best = (id, rank.kind.priority) }
    }
    return best
  }

  /// Restores the rank's invariants: its head hasn't left, and the ids that have left don't outnumber the others by far.
  private mutating func tidy(_ index: Int) {
    while kinds[ranks[index].ids[ranks[index].head]] == nil { ranks[index].head += 1 }
    guard ranks[index].ids.count > 2 * ranks[index].live + 64 else { return }
    ranks[index].ids = ranks[index].ids[ranks[index].head...].filter { kinds[$0] != nil }
    ranks[index].head = 0
  }
}
