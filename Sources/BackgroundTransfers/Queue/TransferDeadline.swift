import Foundation

/// Until when a transfer must have ended: for so long as its session's `timeoutIntervalForResource` from its beginning, which is its first
/// `resume`, or its earliest beginning if that is later. Suspended then, it stays bounded; before, it has no deadline.
enum TransferDeadline {
  /// That of a transfer that hasn't begun.
  static let none = Date.distantFuture.stored

  /// The value of `transfers.deadline`: the present one where it hasn't begun.
  ///
  /// - Parameters:
  ///   - begun: An expression: when it has begun, or NULL.
  ///   - earliest: An expression: its earliest beginning, or NULL.
  static func sql(begun: String = "begun", earliest: String = "earliest") -> String {
    """
    coalesce(
      max(\(begun), coalesce(\(earliest), \(begun))) + (SELECT resource_timeout FROM sessions WHERE identifier = session), deadline)
    """
  }

  /// The value of `transfers.begun` where the earliest beginning is changed: a wait that ends earlier counts as long as it lasted, so that the
  /// transfer still has its whole time.
  ///
  /// - Parameters:
  ///   - earliest: An expression: the new earliest beginning, or NULL.
  ///   - now: An expression: when it is changed, or NULL if nothing is known of that.
  static func begun(changing earliest: String, at now: String) -> String {
    """
    CASE WHEN \(earliest) IS NULL OR \(earliest) < earliest THEN max(begun, coalesce(min(earliest, \(now)), begun)) ELSE begun END
    """
  }

  /// Gives deadlines to what a daemon of an earlier version has resumed, or taken in with a deadline: it doesn't write when a transfer has begun.
  static let repair = """
    UPDATE transfers SET begun = coalesce(resumed, created), deadline = \(sql(begun: "coalesce(resumed, created)"))
    WHERE begun IS NULL AND state < 2 AND (state = 0 OR deadline < \(none))
    """
}
