import Foundation

/// How long a server's certificate from a public authority may be valid: the CA/Browser Forum's Baseline Requirements (6.3.2), as Apple's platforms
/// hold servers to them.
package enum CertificateLifetimeRules {
  private static let day: TimeInterval = 86_400
  /// The most days that a certificate may be valid, by the moment from which on it was issued (seconds since 1970); the newest first.
  private static let steps: [(start: TimeInterval, days: Int)] = [
    // 15 March of 2029, 2027 and 2026, 1 September 2020, 1 July 2019.
    (1_868_227_200, 47), (1_805_068_800, 100), (1_773_532_800, 200), (1_598_918_400, 398), (1_561_939_200, 825),
  ]

  /// The limit in days if a certificate with this validity exceeds it; nil if it doesn't.
  package static func exceededLimit(_ validity: ClosedRange<Date>) -> Int? {
    let issued = validity.lowerBound.timeIntervalSince1970
    guard let days = steps.first(where: { issued >= $0.start })?.days else { return nil }
    return validity.upperBound.timeIntervalSince(validity.lowerBound) > TimeInterval(days) * day ? days : nil
  }
}
