#if Inspector
  import LoadingModel

  /// The recorded facts about connections, with the numbers that identify them in the recording. A value; its owner locks it.
  struct RecordedConnections {
    private struct Entry {
      weak var facts: ConnectionFacts?
      var recorded: RecordedTransfer.SharedConnection
    }

    private static let pruneLimit = 1024

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var count = 0
    private var pruneCount = RecordedConnections.pruneLimit

    /// Returns the recorded facts of a connection in the way that the record's transfer used it. A connection keeps its number for its whole life,
    /// and its certificates are parsed once.
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
