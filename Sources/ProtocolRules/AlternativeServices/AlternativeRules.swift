/// How long HTTP/3 is preferred to TCP, and how long a place isn't tried after an HTTP/3 attempt has failed there.
package enum AlternativeRules {
  /// Seconds by which an attempt over QUIC, at a place where one has succeeded before, starts ahead of the attempt over TCP.
  package static let headStart = 0.2
  /// Seconds that a failure over TCP is held back while an attempt over QUIC is under way.
  package static let patience = 0.2
  /// `patience` in seconds for a place that is known to speak HTTP/3, or of which the app says so, or that is tried as the last resort: there the
  /// QUIC attempt is more likely slow than futile.
  package static let longPatience = 2.0
  /// Seconds for which a QUIC handshake waits for a load whose app can be asked whether to accept the server's certificate.
  package static let askerPatience = 10.0
  /// Seconds after the first failure at a place during which HTTP/3 isn't tried there again.
  package static let firstPause = 5 * 60.0
  package static let longestPause = 48 * 60 * 60.0

  /// Seconds between a failure and the next attempt, after `failures` (at least 1) in succession.
  package static func pause(afterFailures failures: Int) -> Double {
    // 16 doublings already exceed `longestPause`; the bound keeps the shift from overflowing.
    let doublings = min(max(failures, 1) - 1, 16)
    return min(firstPause * Double(1 << doublings), longestPause)
  }
}
