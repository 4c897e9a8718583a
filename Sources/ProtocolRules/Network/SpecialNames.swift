/// Names that are answered without asking a name server.
package enum SpecialNames {
  package enum Answer: Sendable, Hashable {
    /// The name isn't special: the system's resolver is asked.
    case ask
    case loopback
    /// The name counts as one that doesn't exist.
    case absent
  }

  package static func answer(_ host: String) -> Answer {
    let name = (host.hasSuffix(".") ? host.dropLast() : host[...]).lowercased()
    // RFC 6761, 6.3: "Name resolution APIs and libraries SHOULD recognize localhost names as special and SHOULD always return the IP
    // loopback address".
    if name == "localhost" || name.hasSuffix(".localhost") { return .loopback }
    // RFC 6761, 6.4: names under “invalid” have no addresses. RFC 7686, 2: those under “onion” aren't for the DNS.
    for end in ["invalid", "onion"] where name == end || name.hasSuffix("." + end) { return .absent }
    return .ask
  }
}
