import Foundation

/// How often in a row the daemon has launched an app that took no event. `LaunchRules` decides by it about the next launch.
package struct LaunchHistory: Codable, Sendable, Equatable {
  package var failures: Int
  package var last: Date?
  /// The app isn't started before this moment.
  package var next: Date?

  package init(failures: Int = 0, last: Date? = nil, next: Date? = nil) {
    self.failures = failures
    self.last = last
    self.next = next
  }
}
