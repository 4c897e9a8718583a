#if Inspector
  import LoadingModel

  /// What is known of connections, with the numbers that tell that two transfers used the same one. A value; its owner locks it.
  struct RecordedConnections {
    private struct Entry {
      weak var facts: ConnectionFacts?
      var recorded: RecordedTransfer.SharedConnection
    }

    private static let pruneLimit = 1024

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var count = 0
    private var pruneCount = RecordedConnections.pruneLimit

    /// A connection has the same number for as long as it lives, and its certificates are read once.
    mutating func connection(_ facts: ConnectionFacts, _ record: TransactionRecord) -> RecordedTransfer.SharedConnection {
      let identifier = ObjectIdentifier(facts)
      guard let entry = entries[identifier], entry.facts === facts else { return add(facts, identifier, record) }
      if entry.recorded.value.isUsed(as: record) { return entry.recorded }
      let other = RecordedTransfer.SharedConnection(entry.recorded.value.used(as: record))
      entries[identifier]?.recorded = other
      return other
    }

    private mutating func add(
      _ facts: ConnectionFacts, _ identifier: ObjectIdentifier, _ record: TransactionRecord
    ) -> RecordedTransfer.SharedConnection {
      if entries.count >= pruneCount {
        entries = entries.filter { $0.value.facts != nil }
        pruneCount = entries.count + RecordedConnections.pruneLimit
      }
      count += 1
      var connection = RecordedTransfer.Connection(facts)
      connection.number = count
      let recorded = RecordedTransfer.SharedConnection(connection.used(as: record))
      entries[identifier] = Entry(facts: facts, recorded: recorded)
      return recorded
    }
  }

  extension RecordedTransfer.Connection {
    fileprivate func isUsed(as record: TransactionRecord) -> Bool {
      isReused == record.isReusedConnection && isProxied == record.isProxyConnection && protocolName == record.networkProtocolName ?? ""
    }

    fileprivate func used(as record: TransactionRecord) -> RecordedTransfer.Connection {
      var connection = self
      connection.protocolName = record.networkProtocolName ?? ""
      connection.isReused = record.isReusedConnection
      connection.isProxied = record.isProxyConnection
      return connection
    }
  }
#endif
