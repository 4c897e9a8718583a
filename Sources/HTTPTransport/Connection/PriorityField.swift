/// What `URLSessionTask.priority` is in HTTP/2 and HTTP/3 (RFC 9218).
enum PriorityField {
  static let ordinaryPriority: Float = 0.5
  static let ordinaryUrgency = 3

  /// The value of `priority`; nil where it says what a server assumes anyhow.
  ///
  /// - Parameters:
  ///   - priority: 0…1, as `URLSessionTask.priority`.
  ///   - isIncremental: Whether the body is wanted as it arrives.
  static func value(_ priority: Float, isIncremental: Bool) -> String? {
    let urgency = urgency(priority)
    if urgency == ordinaryUrgency { return isIncremental ? "i" : nil }
    return isIncremental ? "u=\(urgency), i" : "u=\(urgency)"
  }

  /// RFC 9218, 4.1: from 0, the most urgent, to 7, for background loads.
  static func urgency(_ priority: Float) -> Int {
    priority == ordinaryPriority ? ordinaryUrgency : Int((6 * (1 - min(1, max(0, priority)))).rounded())
  }
}
