import LoadingModel

/// When the phases of setting up one connection began and ended.
///
/// Written while the connection is set up, then read by its first exchange; confined to the event loop.
package final class ConnectTimings {
  package var lookupStart: Instant?
  package var lookupEnd: Instant?
  package var connectStart: Instant?
  package var secureStart: Instant?
  package var secureEnd: Instant?
  package var connectEnd: Instant?

  package init() {}

  /// Copies what is known into `record`: for the load that used the connection first.
  package func fill(_ record: inout TransactionRecord) {
    record.domainLookupStart = lookupStart
    record.domainLookupEnd = lookupEnd
    record.connectStart = connectStart
    record.secureConnectionStart = secureStart
    record.secureConnectionEnd = secureEnd
    record.connectEnd = connectEnd
  }
}
