import Foundation

/// How often in a row an app was started for a session and took nothing. `LaunchRules` decides by it.
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
