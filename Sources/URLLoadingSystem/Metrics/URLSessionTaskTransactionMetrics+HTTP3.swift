import Foundation
import LoadingModel

// What the public API has no words for.

extension URLSessionTaskTransactionMetrics {
  /// Why HTTP/3 was used, or why it wasn't; nil where this isn't known.
  package var alternativeUse: AlternativeUse? { record.alternative }

  /// What is known of a QUIC connection; nil for others.
  package var quic: QUICFacts? { record.connection?.quic }

  /// Whether the connection's TLS session was begun by an earlier connection.
  package var isTLSResumed: Bool { record.connection?.isTLSResumed ?? false }

  /// The date of a moment on the session's clock.
  package func date(of instant: Instant) -> Date { date(instant) ?? .distantPast }
}
