import Foundation

/// Which of the cookies that servers set are taken (RFC 6265bis, 5.7): public suffixes, prefixes of names, what an insecure connection may set.
extension CookieJar {
  /// The cookie as it may be stored (RFC 6265bis, 5.7); nil if it must be refused.
  func allowed(
    _ cookie: Cookie, from url: CookieURL, _ party: SameSiteContext, _ suffixes: some PublicSuffixes, _ now: Date
  ) -> Cookie? {
    var cookie = cookie
    if let expires = cookie.expires { cookie.expires = min(expires, now.addingTimeInterval(CookieRules.maximumLifetime)) }
    // RFC 6265bis, 5.7, step 10: a host sets cookies only for itself and for domains that it lies in.
    guard CookieRules.host(url.host, isCoveredBy: cookie.domain) else { return nil }
    // An absolute name ("a.test.") is a host of its own: it may set cookies for itself, and no host may set them for the names above it.
    if cookie.domain.utf8.last == UInt8(ascii: "."), cookie.bareDomain != url.host { return nil }
    // Step 9: no cookie for a public suffix, unless that is the host itself, which then gets a host-only cookie.
    if !cookie.isHostOnly, suffixes.isPublicSuffix(cookie.bareDomain) {
      guard cookie.bareDomain == url.host else { return nil }
      cookie.domain = url.host
    }
    guard !CookieJar.breaksPrefix(cookie, host: url.host), party.maySet(cookie.sameSite) else { return nil }
    // Steps 13 and 16: an insecure connection may neither set a secure cookie nor hide one.
    if !url.isSecure, cookie.isSecure || shadowsSecureCookie(cookie) { return nil }
    return cookie
  }

  /// Whether a secure cookie of the same name would be hidden by `cookie`, which came over an insecure connection.
  private func shadowsSecureCookie(_ cookie: Cookie) -> Bool {
    guard hasSecure(cookie.name) else { return false }
    let domain = cookie.bareDomain
    return buckets.contains { name, bucket in
      // The domains come first: of a full jar's cookies few are of a domain that matters.
      (name == domain || CookieJar.isDomain(name, below: domain) || CookieJar.isDomain(domain, below: name))
        && bucket.contains { entry in
          entry.stored.cookie.isSecure && entry.stored.cookie.name == cookie.name && entry.stored.cookie.partition == cookie.partition
            && CookieRules.path(cookie.path, isCoveredBy: entry.stored.cookie.path)
        }
    }
  }

  /// Compares the strings' own bytes: it is called twice for each domain of the jar.
  private static func isDomain(_ name: String, below domain: String) -> Bool {
    guard name.utf8.count > domain.utf8.count else { return false }
    let result = name.utf8.withContiguousStorageIfAvailable { inner in
      domain.utf8.withContiguousStorageIfAvailable { outer in
        let start = inner.count - outer.count
        return inner[start - 1] == UInt8(ascii: ".") && inner[start...].elementsEqual(outer)
      }
    }
    if case .some(.some(let isBelow)) = result { return isBelow }
    return name.hasSuffix("." + domain)
  }

  /// Whether the cookie lacks what the prefix of its name, `__Secure-` or `__Host-`, demands (RFC 6265bis, 4.1.3; 5.7, steps 20 and 21). Prefixes
  /// are compared case-insensitively.
  ///
  /// - Parameter host: The host that sets the cookie.
  private static func breaksPrefix(_ cookie: Cookie, host: String) -> Bool {
    if CookieRules.hasPrefix(cookie.name, "__secure-") { return !cookie.isSecure }
    if CookieRules.hasPrefix(cookie.name, "__host-") { return !cookie.isSecure || cookie.path != "/" || cookie.domain != host }
    return false
  }
}
