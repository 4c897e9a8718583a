import LoadingModel

/// How long the addresses of a name are remembered, and the limits of look-ups.
///
/// The system's resolver doesn't say how long the DNS lets it keep an answer (getaddrinfo(3)), and its answer may not come from the DNS at
/// all. Where the DNS has the same address, its record's lifetime counts, within bounds.
package enum LookUpRules {
  /// Seconds for which addresses are remembered that the DNS gives no lifetime for.
  package static let addressLifetime = 30.0
  /// Seconds for which addresses are remembered whose lifetime the DNS says: at least 1, so that loads that begin together share an answer, and
  /// at most an hour.
  package static func lifetime(saidByDNS seconds: Double) -> Double { min(max(seconds, 1), 3600) }
  /// Seconds for which it is remembered that a name doesn't exist, as RFC 2308 allows.
  package static let absenceLifetime = 5.0
  /// The most names that one session remembers.
  package static let limit = 1024
  /// The most aliases that are followed from a name, one after the other.
  package static let aliasLimit = 16
  /// The most bytes of an answer of DNS over HTTPS: the longest message of the DNS (RFC 8484, 6).
  package static let messageLimit = 65_535
  /// Seconds that one question by DNS over HTTPS may take.
  package static let patience = 10.0

  /// The error of a load that demands validated addresses (DNSSEC), because the system's resolver can't guarantee them; nil if it demands none,
  /// or the host is an address.
  package static func refusal(of host: String, requiresValidation: Bool) -> LoadError? {
    guard requiresValidation, IPAddress(host) == nil else { return nil }
    return LoadError(
      .dnsLookupFailed, .resolve,
      "the addresses of “\(host)” can't be validated: the system's resolver doesn't say whether it has; set requiresDNSSECValidation on a "
        + "configuration whose nameResolution is .https with trustsDNSSEC, or set it to false")
  }
}
