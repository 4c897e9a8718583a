/// A dictionary that keeps the cost of each entry and the order of use, and removes the least recently used entries when asked to shrink.
///
/// A value; not thread-safe. The order of use is a doubly linked list through the indices of `slots`:
///
///     newest ⇄ slot ⇄ slot ⇄ … ⇄ oldest        free slots: `vacant`
///
/// Public, although no other package sees this module: of other modules' generic functions the compiler specializes only public ones.
public struct LeastRecentlyUsed<Key: Hashable, Value> {
  @usableFromInline struct Slot {
    @usableFromInline var key: Key
    @usableFromInline var value: Value?
    @usableFromInline var cost: Int
    @usableFromInline var newer: Int?
    @usableFromInline var older: Int?

    @usableFromInline init(key: Key, value: Value, cost: Int) {
      (self.key, self.value, self.cost) = (key, value, cost)
    }
  }

  @usableFromInline var slots: [Slot] = []
  @usableFromInline var vacant: [Int] = []
  @usableFromInline var indices: [Key: Int] = [:]
  @usableFromInline var newest: Int?
  @usableFromInline var oldest: Int?
  @usableFromInline var sum = 0
  /// The sum of the entries' costs.
  @inlinable public var totalCost: Int { sum }

  @inlinable public init() {}

  @inlinable public var count: Int { indices.count }

  /// The value for `key`, which counts as used by this.
  @inlinable public mutating func value(_ key: Key) -> Value? {
    guard let index = indices[key] else { return nil }
    unlink(index)
    linkAsNewest(index)
    return slots[index].value
  }

  /// Whether there is a value for `key`. Doesn't count as use.
  @inlinable public func contains(_ key: Key) -> Bool { indices[key] != nil }

  /// The value for `key`. Doesn't count as use.
  @inlinable public func peek(_ key: Key) -> Value? { indices[key].flatMap { slots[$0].value } }

  /// The values, in no order.
  @inlinable public var values: [Value] { indices.values.compactMap { slots[$0].value } }

  /// Replaces each value and its cost by what `change` returns; nil removes the entry. The order of use stays.
  @inlinable public mutating func changeAll(_ change: (Value) -> (value: Value, cost: Int)?) {
    for (key, index) in indices {
      guard let value = slots[index].value, let changed = change(value) else {
        remove(key)
        continue
      }
      sum += changed.cost - slots[index].cost
      slots[index].value = changed.value
      slots[index].cost = changed.cost
    }
  }

  /// Sets the value for `key`, which counts as used by this.
  @inlinable public mutating func set(_ key: Key, _ value: Value, cost: Int) {
    remove(key)
    let slot = Slot(key: key, value: value, cost: cost)
    let index: Int
    if let free = vacant.popLast() {
      slots[free] = slot
      index = free
    } else {
      slots.append(slot)
      index = slots.count - 1
    }
    indices[key] = index
    sum += cost
    linkAsNewest(index)
  }

  @inlinable public mutating func remove(_ key: Key) {
    guard let index = indices.removeValue(forKey: key) else { return }
    unlink(index)
    sum -= slots[index].cost
    slots[index].value = nil
    vacant.append(index)
  }

  @inlinable public mutating func removeAll() { self = LeastRecentlyUsed() }

  @inlinable public mutating func removeAll(where isDropped: (Value) -> Bool) {
    for (key, index) in indices {
      guard let value = slots[index].value, isDropped(value) else { continue }
      remove(key)
    }
  }

  /// Removes the least recently used entries until the sum of the costs is at most `limit`.
  @inlinable public mutating func shrink(to limit: Int) {
    while sum > limit, let oldest { remove(slots[oldest].key) }
  }

  @inlinable mutating func unlink(_ index: Int) {
    let (newer, older) = (slots[index].newer, slots[index].older)
    if let newer { slots[newer].older = older } else { newest = older }
    if let older { slots[older].newer = newer } else { oldest = newer }
    slots[index].newer = nil
    slots[index].older = nil
  }

  @inlinable mutating func linkAsNewest(_ index: Int) {
    slots[index].older = newest
    if let newest { slots[newest].newer = index } else { oldest = index }
    newest = index
  }
}

extension LeastRecentlyUsed: Sendable where Key: Sendable, Value: Sendable {}
extension LeastRecentlyUsed.Slot: Sendable where Key: Sendable, Value: Sendable {}
