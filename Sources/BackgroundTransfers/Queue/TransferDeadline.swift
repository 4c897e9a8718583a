import Foundation

/// Computes when a transfer must have ended: `timeoutIntervalForResource` after its first `resume`, or after its earliest beginning if that is later.
/// A transfer that was never resumed has no deadline; one that is suspended after that keeps its deadline.
enum TransferDeadline {
  /// The stored deadline of a transfer that was never resumed.
  static let none = Date.distantFuture.stored

  /// SQL expression for the new value of `transfers.deadline`; the present value if the transfer was never resumed.
  ///
  /// - Parameters:
  ///   - begun: SQL expression: when the transfer was first resumed, or NULL.
  ///   - earliest: SQL expression: its earliest beginning, or NULL.
  static func sql(begun: String = "begun", earliest: String = "earliest") -> String {
    """
    coalesce(
      max(\(begun), coalesce(\(earliest), \(begun))) + (SELECT resource_timeout FROM sessions WHERE identifier = session), deadline)
    """
  }

  /// SQL expression for the new value of `transfers.begun` when the earliest beginning changes: if the wait for it is cut short, the timeout counts
  /// from the moment of the change, so that the transfer still has its whole time.
  ///
  /// - Parameters:
  ///   - earliest: SQL expression: the new earliest beginning, or NULL.
  ///   - now: SQL expression: the moment of the change, or NULL if it isn't known.
  static func begun(changing earliest: String, at now: String) -> String {
    """
    CASE WHEN \(earliest) IS NULL OR \(earliest) < earliest THEN max(begun, coalesce(min(earliest, \(now)), begun)) ELSE begun END
    """
  }

  /// Sets `begun` and the deadline of transfers that a daemon of an earlier version has resumed or added: it didn't write `begun`.
  static let repair = """
    UPDATE transfers SET begun = coalesce(resumed, created), deadline = \(sql(begun: "coalesce(resumed, created)"))
    WHERE begun IS NULL AND state < 2 AND (state = 0 OR deadline < \(none))
    """
}
