import LoadingModel

/// Tells below which domains the public can register names ("com", "co.uk"). The cookie rules ask; a store supplies the list.
package protocol PublicSuffixes: Sendable {
  /// - Parameter domain: Lower case, without a leading dot; international names in their ASCII form. A dot at the end makes no difference.
  func isPublicSuffix(_ domain: String) -> Bool
}

extension PublicSuffixes {
  /// The domain without the final dot of an absolute name: "co.uk." is as public as "co.uk".
  package static func withoutRoot(_ domain: String) -> String {
    domain.utf8.last == UInt8(ascii: ".") ? String(domain.dropLast()) : domain
  }

  /// The domain that one owner holds: the public suffix and one label more. The host itself if it is an address or a public suffix.
  package func registrableDomain(_ host: String) -> String {
    if CookieRules.isAddress(host) || isPublicSuffix(host) { return host }
    var candidate = host[...]
    while let dot = candidate.utf8.firstIndex(of: UInt8(ascii: ".")) {
      let parent = candidate[candidate.utf8.index(after: dot)...]
      // A longer name is no public suffix. Of a host with a great many labels, asking for each parent would take time with the square of their number.
      if parent.isEmpty || parent.utf8.count <= HostKind.longestName && isPublicSuffix(String(parent)) { break }
      candidate = parent
    }
    return String(candidate)
  }

  /// Whether both hosts have the same registrable domain. Schemes don't count, as on Apple's platforms.
  package func isSameSite(_ host: String, _ other: String) -> Bool {
    host == other || registrableDomain(host) == registrableDomain(other)
  }
}

/// A guess for systems without any list: top-level domains, and the labels under which country registries hand out names.
package struct GuessedPublicSuffixes: PublicSuffixes {
  private static let registryLabels: Set<String> = [
    "ac", "co", "com", "ed", "edu", "go", "gob", "gov", "gouv", "ltd", "mil", "ne", "net", "nom", "or", "org", "plc", "sch",
  ]

  package init() {}

  package func isPublicSuffix(_ domain: String) -> Bool {
    let labels = domain.split(separator: ".")
    switch labels.count {
    case 0, 1: return true
    case 2: return labels[1].utf8.count == 2 && GuessedPublicSuffixes.registryLabels.contains(labels[0].lowercased())
    default: return false
    }
  }
}
