/// A dictionary with a limited number of entries: if there are more, the least recently used ones are removed.
///
/// Setting a value and `use` count as use; reading by subscript doesn't. A value; not thread-safe.
/// Public for the reason that `LeastRecentlyUsed` is.
public struct BoundedTable<Key: Hashable, Value> {
  @usableFromInline var entries = LeastRecentlyUsed<Key, Value>()
  @usableFromInline let limit: Int

  @inlinable public init(limit: Int) { self.limit = limit }

  @inlinable public var isEmpty: Bool { entries.count == 0 }
  @inlinable public var count: Int { entries.count }

  @inlinable public func contains(_ key: Key) -> Bool { entries.contains(key) }

  @inlinable public subscript(key: Key) -> Value? {
    get { entries.peek(key) }
    set {
      guard let newValue else { return entries.remove(key) }
      entries.set(key, newValue, cost: 1)
      entries.shrink(to: limit)
    }
  }

  /// The value for `key`, which counts as used by this.
  @inlinable public mutating func use(_ key: Key) -> Value? { entries.value(key) }

  /// Removes the value for `key` and returns it.
  @inlinable public mutating func take(_ key: Key) -> Value? {
    defer { entries.remove(key) }
    return entries.peek(key)
  }

  @inlinable public mutating func removeAll() { entries.removeAll() }
}

extension BoundedTable: Sendable where Key: Sendable, Value: Sendable {}

extension BoundedTable where Value == Void {
  /// Inserts `key`, as into a set.
  @inlinable public mutating func insert(_ key: Key) { self[key] = () }
}
