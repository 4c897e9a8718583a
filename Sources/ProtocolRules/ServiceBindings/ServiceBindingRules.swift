import LoadingModel

/// How HTTPS records are looked up and used (RFC 9460).
package enum ServiceBindingRules {
  /// The most aliases that are followed one after another (RFC 9460, 3.1: "Clients MUST impose a limit").
  package static let aliasLimit = 8
  /// The most origins whose answers one session remembers.
  package static let limit = 1024
  /// Seconds for which it is remembered that an origin has no usable records.
  package static let absenceLifetime = 300.0
  /// Seconds for which it is remembered that a look-up has failed.
  package static let failureLifetime = 30.0

  /// The name to ask about. nil for origins that have no HTTPS records: those without TLS, addresses, and names that aren't in the public DNS
  /// (RFC 6761, RFC 6762).
  package static func question(for origin: Origin) -> DNSName? {
    guard origin.scheme == "https", case .name(let host) = HostKind(origin.host), SpecialNames.answer(host) == .ask else { return nil }
    let labels = host.split(separator: ".")
    guard labels.count > 1, let last = labels.last, last != "local", last != "localhost" else { return nil }
    // RFC 9460, 9.1: "If the port is 443, the original authority's name; all others use port prefix naming".
    return DNSName(origin.port == 443 ? host : "_\(origin.port)._https.\(host)")
  }

  /// The places where an origin is served, in the records' order of preference, one for each usable record.
  ///
  /// - Parameter encrypts: Whether ClientHellos may be encrypted; if not, the records' keys are left out.
  package static func places(
    of origin: Origin, _ bindings: [ServiceBinding], owner: DNSName, encrypts: Bool = true
  ) -> [ServicePlace] {
    bindings.compactMap { binding in
      // RFC 9460, 2.5.2: the root as target means the record's own name.
      guard binding.isCompatible, !binding.isAlias, let host = (binding.target.isRoot ? owner : binding.target).host, IPAddress(host) == nil
      else { return nil }
      return ServicePlace(
        host: spelled(host, as: origin), port: binding.port.map(Int.init) ?? origin.port, addressHints: binding.addressHints,
        protocols: binding.protocols + (binding.hasDefaultProtocol ? [ServicePlace.defaultProtocol] : []),
        encryptedHello: encrypts ? binding.encryptedHello : nil)
    }
  }

  /// Whether the origin may be reached only at these places, because all of them have ECH keys. RFC 9848, 5.1: clients "MUST switch to
  /// SVCB-reliant connection establishment" if "all alternative endpoints have an \"ech\" SvcParam"; elsewhere the origin's name would be sent
  /// unencrypted.
  package static func areAllThereIs(_ places: [ServicePlace]) -> Bool {
    !places.isEmpty && places.allSatisfy { $0.encryptedHello != nil }
  }

  /// The ECH keys for a host and port among the places of an origin; nil if none are known. For another port of a known host, as Alt-Svc may name
  /// one, the host's keys are used; if they are wrong, the server says so, and no name was sent unencrypted.
  package static func encryptedHello(_ places: [ServicePlace], at host: String, _ port: Int) -> EncryptedHelloKeys? {
    let own = places.filter { $0.host == host }
    return (own.filter { $0.port == port } + own).lazy.compactMap(\.encryptedHello).first
  }

  /// The place that an alias leads to. RFC 9460, 3: clients "SHALL append to the list of known endpoints an endpoint consisting of the final
  /// value of $QNAME, the authority endpoint's port number, and no SvcParams". nil if the name isn't that of a host.
  package static func place(of origin: Origin, aliasedTo name: DNSName) -> ServicePlace? {
    guard let host = name.host, IPAddress(host) == nil else { return nil }
    return ServicePlace(host: spelled(host, as: origin), port: origin.port)
  }

  /// `host` with a final dot if the origin's host is the same name with one: its addresses are remembered by that spelling.
  private static func spelled(_ host: String, as origin: Origin) -> String { origin.host == host + "." ? origin.host : host }

  /// The preferred place that offers HTTP/3; nil if none does.
  package static func alternative(_ places: [ServicePlace]) -> AlternativeEndpoint? {
    places.first { $0.protocols.contains("h3") }.map {
      AlternativeEndpoint(host: $0.host, port: $0.port, addressHints: $0.addressHints)
    }
  }

  /// The most places of the records at which one attempt over TCP is made; the origin itself may be added.
  package static let placeLimit = 8
  /// Seconds after which the next place is tried beside one that hasn't connected over TCP: enough for an address of each family.
  package static let headStart = 0.5

  /// The places at which one attempt over TCP is made, one after the other: those of the records that this client can use, then the origin itself
  /// (RFC 9460, 3: a client for which the records are optional "attempts to use non-SVCB connection modes" when those have failed), unless
  /// `areAllThereIs`. May be empty.
  ///
  /// - Parameters:
  ///   - offered: The protocols that the handshake will offer (ALPN).
  ///   - refused: Places that have turned out not to serve the origin, and are left out.
  package static func attempts(
    at origin: Origin, _ places: [ServicePlace], offering offered: [String], without refused: Set<ServicePlace> = []
  ) -> [ServicePlace] {
    var found: [ServicePlace] = []
    for place in places where place.isServed(by: offered) && !refused.contains(place) && !found.contains(where: place.isSame) {
      found.append(place)
      if found.count == placeLimit { break }
    }
    let own = ServicePlace(host: origin.host, port: origin.port)
    return areAllThereIs(places) || found.contains(where: own.isSame) ? found : found + [own]
  }

  /// Seconds for which an answer is remembered: as the DNS says, within the same bounds as addresses; `absenceLifetime` if it doesn't say.
  package static func lifetime(_ seconds: UInt32?) -> Double {
    seconds.map { LookUpRules.lifetime(saidByDNS: Double($0)) } ?? absenceLifetime
  }
}
