/// What `URLSessionTask.priority` is in HTTP/2 and HTTP/3 (RFC 9218).
enum PriorityField {
  static let ordinaryPriority: Float = 0.5
  static let ordinaryUrgency = 3

  /// The value of the `priority` field; nil where it equals the default that servers assume without the field.
  ///
  /// - Parameters:
  /// - priority: 0…1, as `URLSessionTask.priority`.
  /// - isIncremental: Whether the app processes the body as it arrives.
  static func value(_ priority: Float, isIncremental: Bool) -> String? {
    let urgency = urgency(priority)
    if urgency == ordinaryUrgency { return isIncremental ? "i" : nil }
    return isIncremental ? "u=\(urgency), i" : "u=\(urgency)"
  }

  /// The urgency (RFC 9218, 4.1) of a task's priority: 0 for the most urgent, 3 for the default priority, 6 for priority 0.
  static func urgency(_ priority: Float) -> Int {
    priority == ordinaryPriority ? ordinaryUrgency : Int((6 * (1 - min(1, max(0, priority)))).rounded())
  }
}
