import Foundation

/// Whether the daemon launches an app for its session now.
package enum LaunchDecision: Sendable, Equatable {
  case launches
  case waits(until: Date)
}

/// How often the daemon launches an app that doesn't take its events: at once, then after 1 and 5 minutes, half an hour and two hours, then daily.
package enum LaunchRules {
  private static let delays: [Double] = [60, 300, 1800, 7200, 86_400]

  /// Whether the session needs its app: a transfer waits for the app's answer, or there are events and all transfers have ended.
  package static func needsApp(
    awaitsAnswer: @autoclosure () throws -> Bool, hasEvents: @autoclosure () throws -> Bool, hasWaiting: @autoclosure () throws -> Bool
  ) rethrows -> Bool {
    if try awaitsAnswer() { return true }
    return try hasEvents() && !hasWaiting()
  }

  package static func decide(_ history: LaunchHistory, now: Date) -> LaunchDecision {
    guard let next = history.next, next > now else { return .launches }
    // If the clock was set back, the wait isn't longer than the delay.
    return .waits(until: min(next, now.addingTimeInterval(delay(after: history.failures))))
  }

  /// The history after a launch now, which counts as failed until the app takes an event.
  package static func launched(_ history: LaunchHistory, now: Date) -> LaunchHistory {
    let failures = min(max(history.failures, 0), delays.count) + 1
    return LaunchHistory(failures: failures, last: now, next: now.addingTimeInterval(delay(after: failures)))
  }

  /// The history after the app has attached and taken an event: no launch counts as failed any more.
  package static func tookEvents(_ history: LaunchHistory) -> LaunchHistory { LaunchHistory(last: history.last) }

  /// Seconds between the launch that makes `failures` failures and the next one.
  private static func delay(after failures: Int) -> Double { delays[min(max(failures, 1), delays.count) - 1] }
}
