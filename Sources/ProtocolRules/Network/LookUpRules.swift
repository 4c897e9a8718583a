import LoadingModel

/// How long answers about names are kept.
///
/// The system's resolver doesn't say how long the DNS lets it keep an answer (getaddrinfo(3)), and its answer may not come from the DNS at
/// all. Where the DNS has the same address, its record's lifetime counts, within bounds.
package enum LookUpRules {
  /// Seconds, where the DNS gives no lifetime.
  package static let addressLifetime = 30.0
  /// Seconds, as the DNS says. Loads that begin together share an answer that may not be kept at all; and one that may be kept for days
  /// is asked for again each hour.
  package static func lifetime(saidByDNS seconds: Double) -> Double { min(max(seconds, 1), 3600) }
  /// Seconds. RFC 2308: that there is no such name may be remembered as well.
  package static let absenceLifetime = 5.0
  /// Names of one session that are remembered.
  package static let limit = 1024
  /// Aliases of a name that are followed, one after the other.
  package static let aliasLimit = 16
  /// Bytes of an answer of DNS over HTTPS: the longest message of the DNS (RFC 8484, 6).
  package static let messageLimit = 65_535
  /// Seconds for one question by DNS over HTTPS.
  package static let patience = 10.0

  /// Why a load that asks for validated addresses (DNSSEC) isn't begun; nil if it asks for none, or needs no look-up.
  package static func refusal(of host: String, requiresValidation: Bool) -> LoadError? {
    guard requiresValidation, IPAddress(host) == nil else { return nil }
    return LoadError(
      .dnsLookupFailed, .resolve,
      "the addresses of “\(host)” can't be validated: the system's resolver doesn't say whether it has; set requiresDNSSECValidation on a "
        + "configuration whose nameResolution is .https with trustsDNSSEC, or set it to false")
  }
}
