import Foundation

/// Whether an app is started for its session.
package enum LaunchDecision: Sendable, Equatable {
  case launches
  case waits(until: Date)
}

/// How often an app is started that doesn't take its events: at once, then after 1 and 5 minutes, half an hour and two hours, then daily.
package enum LaunchRules {
  private static let delays: [Double] = [60, 300, 1800, 7200, 86_400]

  /// Whether a session's app is to be started at all: it has events to take and nothing more is coming, or a transfer needs its answer.
  package static func needsApp(
    awaitsAnswer: @autoclosure () throws -> Bool, hasEvents: @autoclosure () throws -> Bool, hasWaiting: @autoclosure () throws -> Bool
  ) rethrows -> Bool {
    if try awaitsAnswer() { return true }
    return try hasEvents() && !hasWaiting()
  }

  package static func decide(_ history: LaunchHistory, now: Date) -> LaunchDecision {
    guard let next = history.next, next > now else { return .launches }
    // No longer than the delay, if the clock was set back.
    return .waits(until: min(next, now.addingTimeInterval(delay(after: history.failures))))
  }

  /// The app is started now. It counts as a failure until the app takes something.
  package static func launched(_ history: LaunchHistory, now: Date) -> LaunchHistory {
    let failures = min(max(history.failures, 0), delays.count) + 1
    return LaunchHistory(failures: failures, last: now, next: now.addingTimeInterval(delay(after: failures)))
  }

  /// The app has attached and taken something.
  package static func tookEvents(_ history: LaunchHistory) -> LaunchHistory { LaunchHistory(last: history.last) }

  /// Seconds until the next launch.
  private static func delay(after failures: Int) -> Double { delays[min(max(failures, 1), delays.count) - 1] }
}
