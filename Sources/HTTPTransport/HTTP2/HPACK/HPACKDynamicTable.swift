/// The fields that one side of a connection has added, newest first (RFC 7541, 2.3.2): a ring of bounded size.
struct HPACKDynamicTable<Field> {
  /// The most bytes of all entries' sizes together (4.1).
  private(set) var limit: Int
  private(set) var size = 0
  private(set) var count = 0
  /// The number of entries ever added. An entry's number is the count before it was added.
  private(set) var added = 0
  private var ring: [(field: Field, size: Int)?] = []

  init(limit: Int) { self.limit = limit }

  /// The entry `index` places from the newest; nil if there is none.
  subscript(index: Int) -> Field? {
    guard index >= 0, index < count else { return nil }
    return ring[slot(added - 1 - index)]?.field
  }

  private func slot(_ number: Int) -> Int { number & (ring.count - 1) }

  /// Adds an entry; older ones make room. One that is larger than the table empties it, which is no error (4.4).
  mutating func add(_ field: Field, size fieldSize: Int) {
    evict(to: limit - fieldSize)
    guard fieldSize <= limit else { return }
    if count == ring.count { grow() }
    ring[slot(added)] = (field, fieldSize)
    added += 1
    count += 1
    size += fieldSize
  }

  mutating func setLimit(_ limit: Int) {
    self.limit = limit
    evict(to: limit)
  }

  private mutating func evict(to target: Int) {
    while count > 0, size > target {
      let oldest = slot(added - count)
      size -= ring[oldest]?.size ?? 0
      ring[oldest] = nil
      count -= 1
    }
  }

  /// Enlarges the ring to the next power of two, as `slot` requires.
  private mutating func grow() {
    var larger = [(field: Field, size: Int)?](repeating: nil, count: max(16, ring.count * 2))
    for number in (added - count)..<added { larger[number & (larger.count - 1)] = ring[slot(number)] }
    ring = larger
  }
}
