#if Inspector
  import LoadingModel

  /// Numbers of connections: what tells that two transfers used the same one. A value; its owner locks it.
  struct ConnectionNumbers {
    private struct Entry {
      weak var connection: ConnectionFacts?
      let number: Int
    }

    private static let pruneLimit = 1024

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var count = 0
    private var pruneCount = ConnectionNumbers.pruneLimit

    /// A connection has the same number for as long as it lives.
    mutating func number(of connection: ConnectionFacts) -> Int {
      let identifier = ObjectIdentifier(connection)
      if let entry = entries[identifier], entry.connection === connection { return entry.number }
      if entries.count >= pruneCount {
        entries = entries.filter { $0.value.connection != nil }
        pruneCount = entries.count + ConnectionNumbers.pruneLimit
      }
      count += 1
      entries[identifier] = Entry(connection: connection, number: count)
      return count
    }
  }
#endif
