import LoadingModel

/// How HTTPS records are asked for and used (RFC 9460).
package enum ServiceBindingRules {
  /// Aliases that are followed, one after another (3.1: "Clients MUST impose a limit").
  package static let aliasLimit = 8
  /// Origins of one session whose answers are remembered.
  package static let limit = 1024
  /// Seconds for which it is remembered that an origin has no records, or that its answer is of no use.
  package static let absenceLifetime = 300.0
  /// Seconds for which it is remembered that the DNS didn't answer.
  package static let failureLifetime = 30.0

  /// The name to ask about; nil for origins that the DNS knows nothing of: those without TLS, addresses, names that never leave the machine
  /// or its network (RFC 6761, RFC 6762).
  package static func question(for origin: Origin) -> DNSName? {
    guard origin.scheme == "https", case .name(let host) = HostKind(origin.host), SpecialNames.answer(host) == .ask else { return nil }
    let labels = host.split(separator: ".")
    guard labels.count > 1, let last = labels.last, last != "local", last != "localhost" else { return nil }
    // 9.1: "If the port is 443, the original authority's name; all others use port prefix naming".
    return DNSName(origin.port == 443 ? host : "_\(origin.port)._https.\(host)")
  }

  /// Where HTTP/3 is offered, in the records' order of preference; nil if it is nowhere.
  package static func place(of origin: Origin, _ bindings: [ServiceBinding], owner: DNSName) -> AlternativeEndpoint? {
    for binding in bindings where binding.isCompatible && !binding.isAlias && binding.protocols.contains("h3") {
      // 2.5.2: the root stands for the record's own name.
      guard let host = (binding.target.isRoot ? owner : binding.target).host, IPAddress(host) == nil else { continue }
      return AlternativeEndpoint(host: host, port: binding.port.map(Int.init) ?? origin.port, addressHints: binding.addressHints)
    }
    return nil
  }

  /// Seconds for which an answer is kept: as the DNS says, within the bounds of addresses.
  package static func lifetime(_ seconds: UInt32?) -> Double {
    seconds.map { LookUpRules.lifetime(saidByDNS: Double($0)) } ?? absenceLifetime
  }
}
