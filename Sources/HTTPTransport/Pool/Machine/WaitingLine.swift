/// The loads that wait for a connection in one group of the pool: the highest priority first, and within it in the order of arrival.
///
/// Ten thousand loads may wait here: to join, to leave and to be served cost the same however long the line is.
struct WaitingLine {
  typealias WaiterID = Int

  /// What tells loads apart: how urgent they are, and which connections they can use.
  private struct Kind: Equatable {
    let priority: Float
    let takes: PeerAcceptance

    /// - Parameter priority: A NaN is no order: it counts as the default.
    init(priority: Float, takes: PeerAcceptance) {
      self.priority = priority.isNaN ? 0.5 : priority
      self.takes = takes
    }
  }

  /// Loads of one kind, in the order in which they came; some may have left since.
  private struct Rank {
    let kind: Kind
    var ids: [WaiterID] = []
    var head = 0
    /// Loads that haven't left.
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

  /// All of them, the next one first.
  var all: [WaiterID] {
    let standing = ranks.flatMap { rank in rank.ids[rank.head...].filter { kinds[$0] != nil }.map { ($0, rank.kind.priority) } }
    return standing.sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 > $1.1 }.map(\.0)
  }

  /// IDs ascend with age: a load that comes back with its ID gets the place that it had.
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

  /// Takes `id` out, if it is here.
  mutating func leave(_ id: WaiterID) {
    guard let kind = kinds.removeValue(forKey: id), let index = ranks.firstIndex(where: { $0.kind == kind }) else { return }
    ranks[index].live -= 1
    if ranks[index].live == 0 { ranks.remove(at: index) } else { tidy(index) }
  }

  /// Takes `id` out if it can use such a connection; whether it could.
  mutating func leave(_ id: WaiterID, for acceptance: PeerAcceptance) -> Bool {
    guard kinds[id]?.takes.contains(acceptance) == true else { return false }
    leave(id)
    return true
  }

  /// The next one that can use such a connection.
  func next(for acceptance: PeerAcceptance) -> (id: WaiterID, priority: Float)? { next { $0.contains(acceptance) } }

  /// Takes the next one out, but none of these.
  mutating func popFirst(sparing spared: Set<WaiterID>) -> WaiterID? {
    guard let first, spared.contains(first) else { return popFirst() }
    let id = all.first { !spared.contains($0) }
    if let id { leave(id) }
    return id
  }

  /// Takes the next one that can use such a connection out; without one, the next of all.
  mutating func popFirst(for acceptance: PeerAcceptance? = nil) -> WaiterID? {
    let id = acceptance.map { next(for: $0)?.id } ?? first
    if let id { leave(id) }
    return id
  }

  /// How many can use none of the connections whose servers were accepted in these ways.
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

  /// The head of a rank is a load that hasn't left; behind it not more have left than still wait, and a few.
  private mutating func tidy(_ index: Int) {
    while kinds[ranks[index].ids[ranks[index].head]] == nil { ranks[index].head += 1 }
    guard ranks[index].ids.count > 2 * ranks[index].live + 64 else { return }
    ranks[index].ids = ranks[index].ids[ranks[index].head...].filter { kinds[$0] != nil }
    ranks[index].head = 0
  }
}
