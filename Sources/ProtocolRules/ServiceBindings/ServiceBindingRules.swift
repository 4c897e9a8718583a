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

  /// Where an origin is served, in the records' order of preference, once for each record that can be used.
  ///
  /// - Parameter encrypts: Whether keys for ClientHellos are used.
  package static func places(
    of origin: Origin, _ bindings: [ServiceBinding], owner: DNSName, encrypts: Bool = true
  ) -> [ServicePlace] {
    bindings.compactMap { binding in
      // 2.5.2: the root stands for the record's own name.
      guard binding.isCompatible, !binding.isAlias, let host = (binding.target.isRoot ? owner : binding.target).host, IPAddress(host) == nil
      else { return nil }
      return ServicePlace(
        host: spelled(host, as: origin), port: binding.port.map(Int.init) ?? origin.port, addressHints: binding.addressHints,
        protocols: binding.protocols + (binding.hasDefaultProtocol ? [ServicePlace.defaultProtocol] : []),
        encryptedHello: encrypts ? binding.encryptedHello : nil)
    }
  }

  /// Whether an origin is reached at these places alone. RFC 9848, 5.1: clients "MUST switch to SVCB-reliant connection establishment" if "all
  /// alternative endpoints have an \"ech\" SvcParam": elsewhere its name would be in the clear.
  package static func areAllThereIs(_ places: [ServicePlace]) -> Bool {
    !places.isEmpty && places.allSatisfy { $0.encryptedHello != nil }
  }

  /// The keys for a place among those of an origin, if they are known. Another port of a host, as Alt-Svc may name one, has the host's: where that
  /// is wrong the server's answer says so, and nothing was in the clear.
  package static func encryptedHello(_ places: [ServicePlace], at host: String, _ port: Int) -> EncryptedHelloKeys? {
    let own = places.filter { $0.host == host }
    return (own.filter { $0.port == port } + own).lazy.compactMap(\.encryptedHello).first
  }

  /// The place where an alias leads to: 3: clients "SHALL append to the list of known endpoints an endpoint consisting of the final value of
  /// $QNAME, the authority endpoint's port number, and no SvcParams".
  package static func place(of origin: Origin, aliasedTo name: DNSName) -> ServicePlace? {
    guard let host = name.host, IPAddress(host) == nil else { return nil }
    return ServicePlace(host: spelled(host, as: origin), port: origin.port)
  }

  /// A URL's host may have a dot at its end: its addresses are known by that spelling.
  private static func spelled(_ host: String, as origin: Origin) -> String { origin.host == host + "." ? origin.host : host }

  /// Where HTTP/3 is offered, the preferred place first; nil if it is nowhere.
  package static func alternative(_ places: [ServicePlace]) -> AlternativeEndpoint? {
    places.first { $0.protocols.contains("h3") }.map {
      AlternativeEndpoint(host: $0.host, port: $0.port, addressHints: $0.addressHints)
    }
  }

  /// Places that one attempt over TCP is made at, the origin's own not among them.
  package static let placeLimit = 8
  /// Seconds that a place over TCP has before the next one is tried beside it: for an attempt at an address of each family.
  package static let headStart = 0.5

  /// The places that an attempt over TCP is made at, one after the other: those that the records name, and at last the origin itself (3: a client
  /// for which the records are optional "attempts to use non-SVCB connection modes" when those have failed), unless `areAllThereIs`. Empty if none
  /// of these can be used.
  ///
  /// - Parameters:
  ///   - offered: What the handshake will offer (ALPN).
  ///   - refused: Places that have turned out not to serve the origin.
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

  /// Seconds for which an answer is kept: as the DNS says, within the bounds of addresses.
  package static func lifetime(_ seconds: UInt32?) -> Double {
    seconds.map { LookUpRules.lifetime(saidByDNS: Double($0)) } ?? absenceLifetime
  }
}
