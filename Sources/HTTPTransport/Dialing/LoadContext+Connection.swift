extension LoadContext {
  /// Notes the connection on which the request is sent now.
  package func sends(on connection: HTTPConnection) {
    record.fetchType = .networkLoad
    record.networkProtocolName = connection.protocolName
    record.connection = connection.facts
    record.isProxyConnection = terms.routeAttempt != nil
    let count = connection.exchangeCount
    record.isReusedConnection = count > 0
    if count == 0 {
      connection.timings.fill(&record)
    } else if record.connectStart != nil || record.domainLookupStart != nil {
      // The times in the record are those of an earlier attempt that failed: they are cleared.
      ConnectTimings().fill(&record)
    }
    let now = clock.now
    record.requestStart = now
    lastActivity = now
  }
}
