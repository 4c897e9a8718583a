/// A dictionary with a limited number of entries: if there are more, the least recently used ones are removed.
///
/// Setting a value and `use` count as use; reading by subscript doesn't. A value; not thread-safe.
package struct BoundedTable<Key: Hashable, Value> {
  @usableFromInline var entries = LeastRecentlyUsed<Key, Value>()
  @usableFromInline let limit: Int

  @inlinable package init(limit: Int) { self.limit = limit }

  @inlinable package var isEmpty: Bool { entries.count == 0 }
  @inlinable package var count: Int { entries.count }

  @inlinable package func contains(_ key: Key) -> Bool { entries.contains(key) }

  @inlinable package subscript(key: Key) -> Value? {
    get { entries.peek(key) }
    set {
      guard let newValue else { return entries.remove(key) }
      entries.set(key, newValue, cost: 1)
      entries.shrink(to: limit)
    }
  }

  /// The value for `key`, which counts as used by this.
  @inlinable package mutating func use(_ key: Key) -> Value? { entries.value(key) }

  /// Removes the value for `key` and returns it.
  @inlinable package mutating func take(_ key: Key) -> Value? {
    defer { entries.remove(key) }
    return entries.peek(key)
  }

  @inlinable package mutating func removeAll() { entries.removeAll() }
}

extension BoundedTable: Sendable where Key: Sendable, Value: Sendable {}

extension BoundedTable where Value == Void {
  /// Inserts `key`, as into a set.
  @inlinable package mutating func insert(_ key: Key) { self[key] = () }
}
