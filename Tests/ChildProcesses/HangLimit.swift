import Foundation

/// How long tests wait for something that takes milliseconds on a quiet machine before they call it a hang.
///
/// Only a test that fails waits so long. The limit leaves room for slow and busy machines: no test passes or fails by how fast it is.
package enum HangLimit {
  package static let seconds = 300

  /// The moment at which a wait that begins now has become a hang.
  package static var end: ContinuousClock.Instant { .now + .seconds(seconds) }
}
