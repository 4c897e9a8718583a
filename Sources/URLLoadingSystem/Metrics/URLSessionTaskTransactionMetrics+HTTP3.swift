import Foundation
import LoadingModel

// Measurements that Apple's API has no properties for.

extension URLSessionTaskTransactionMetrics {
  /// Why HTTP/3 was used or not used; nil if that isn't known.
  package var alternativeUse: AlternativeUse? { record.alternative }

  /// Facts about a QUIC connection; nil for other connections.
  package var quic: QUICFacts? { record.connection?.quic }

  /// Whether the connection's TLS session was resumed from an earlier connection.
  package var isTLSResumed: Bool { record.connection?.isTLSResumed ?? false }

  /// The date of a time on the session's monotonic clock.
  package func date(of instant: Instant) -> Date { date(instant) ?? .distantPast }
}
