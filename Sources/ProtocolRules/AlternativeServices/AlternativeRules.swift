/// How long HTTP/3 is preferred, and for how long it is left alone after it has failed.
package enum AlternativeRules {
  /// Seconds that an attempt over QUIC to a place that has worked before is ahead of the one over TCP.
  package static let headStart = 0.2
  /// Seconds that a failure over TCP is held back while an attempt over QUIC is under way.
  package static let patience = 0.2
  /// The same where the place is known to speak HTTP/3, or the app says so, or it is tried again as the last resort: it is late rather than
  /// not there.
  package static let longPatience = 2.0
  /// Seconds for which a handshake over QUIC waits for a load whose app can be asked about the server.
  package static let askerPatience = 10.0
  /// Seconds after the first failure during which it isn't tried again.
  package static let firstPause = 5 * 60.0
  package static let longestPause = 48 * 60 * 60.0

  /// Seconds until the next attempt after so many failures in succession, at least one.
  package static func pause(afterFailures failures: Int) -> Double {
    // More doublings than these exceed the longest.
    let doublings = min(max(failures, 1) - 1, 16)
    return min(firstPause * Double(1 << doublings), longestPause)
  }
}
