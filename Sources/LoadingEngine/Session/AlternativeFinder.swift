import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules
import Stores

/// Finds alternatives for a session's origins: from Alt-Svc fields that it has received (RFC 7838), and from HTTPS records of the DNS (RFC 9460).
///
/// No load waits for it longer than for addresses: until the disk and the DNS have answered, an origin has no alternative, and `found` reports
/// one that comes later. Owned by the session; confined to its event loop.
package final class AlternativeFinder: ServicePlaces, @unchecked Sendable {
  // @unchecked: the `var`s are confined to `eventLoop`; the rest is immutable.

  /// The most origins that are remembered, because a load asked about them while the disk was read.
  private static let askedLimit = 1000

  /// The alternatives that origins have advertised by Alt-Svc.
  package let said: AlternativeServiceStore
  /// The HTTPS records of the DNS; nil if the DNS isn't asked for them.
  package let bindings: ServiceBindingCache?
  private let eventLoop: any EventLoop
  private let clock: any LoadClock
  private let network: any NetworkObserver
  private let plan: DialPlan
  private var watch: NetworkObservation?
  /// The number of reads of the disk that are under way.
  private var readings = 0
  /// Origins for which a load wanted an alternative, and found none, while the disk was being read.
  private var asked: Set<Origin> = []
  /// Called when an alternative has become known for an origin for which a load found none before.
  package var found: ((Origin) -> Void)?

  init(_ settings: LoadSettings, eventLoop: any EventLoop, clock: any LoadClock) {
    said = settings.alternatives ?? AlternativeServiceStore()
    // Without TLS 1.3 no ClientHello can be encrypted.
    let encrypts = settings.tls.encryptedHello != .off && settings.tls.maximumVersion >= 0x0304
    bindings = settings.serviceBindings.map {
      ServiceBindingCache(eventLoop: eventLoop, clock: clock, service: $0, encrypts: encrypts)
    }
    network = settings.network
    plan = settings.dialing
    self.eventLoop = eventLoop
    self.clock = clock
    bindings?.found = { [weak self] origin in self?.found?(origin) }
  }

  /// Called before each https load: begins to read the disk, and to observe changes of the network.
  func prepare() {
    assert(eventLoop.inEventLoop)
    guard watch == nil else { return }
    watch = network.observe { [weak self, eventLoop] news in
      // Link-local addresses come and go without any change of the network.
      if case .addresses(_, isLinkLocal: true) = news { return }
      eventLoop.execute { [weak self] in self?.networkChanged() }
    }
    if readings == 0, !said.isCurrent { read() }
  }

  /// Where HTTP/3 for `origin` may be tried: an alternative that it has advertised, else one of its HTTPS records. nil if none is known.
  func endpoint(of origin: Origin) -> AlternativeEndpoint? {
    assert(eventLoop.inEventLoop)
    guard origin.scheme == "https", plan.isNatural(origin) else { return nil }
    prepare()
    // Alternatives that another process has noted are read now, and used from the next load on.
    if readings == 0, !said.isCurrent { read() }
    if let said = saidEndpoint(of: origin) { return said }
    if readings > 0 { remember(origin) }
    // The DNS isn't asked for hosts whose addresses the app has set itself.
    return plan.resolver.isFixed(origin.host, origin.port) ? nil : bindings?.place(of: origin)
  }

  // MARK: places over TCP

  package func follows(_ origin: Origin) -> Bool {
    bindings != nil && plan.isNatural(origin) && asked(of: origin) != nil && !plan.resolver.isFixed(origin.host, origin.port)
  }

  package func places(of origin: Origin, _ tell: @escaping ([ServicePlace]) -> Void) -> [ServicePlace]? {
    guard let bindings, let origin = asked(of: origin) else { return [] }
    prepare()
    return bindings.places(of: origin, tell)
  }

  package func knownPlaces(of origin: Origin) -> [ServicePlace] { asked(of: origin).flatMap { bindings?.knownPlaces(of: $0) } ?? [] }

  package func prefer(_ place: ServicePlace, of origin: Origin) {
    if let origin = asked(of: origin) { bindings?.prefer(place, of: origin) }
  }

  package func drop(_ place: ServicePlace, of origin: Origin) {
    if let origin = asked(of: origin) { bindings?.drop(place, of: origin) }
  }

  /// The https origin whose HTTPS records count for `origin`: they also apply to WebSockets (RFC 9460, 9.6). nil if it can have none.
  private func asked(of origin: Origin) -> Origin? {
    let asked = origin.scheme == "wss" ? Origin(scheme: "https", host: origin.host, port: origin.port) : origin
    return ServiceBindingRules.question(for: asked) == nil ? nil : asked
  }

  /// Notes the alternatives in a response from `origin`. The response must have come over a connection whose server was authenticated.
  func note(_ head: ResponseHead, from origin: Origin) {
    guard plan.isNatural(origin) else { return }
    prepare()
    said.note(head, from: origin, now: clock.date)
    if saidEndpoint(of: origin) != nil {
      found?(origin)
    } else if !said.isCurrent {
      // The alternative is noted once the disk has been read; until then the origin is remembered.
      remember(origin)
      read()
    }
  }

  /// Removes an alternative whose server hasn't proved that it serves `origin`.
  func forget(_ endpoint: AlternativeEndpoint, of origin: Origin) {
    assert(eventLoop.inEventLoop)
    said.forget(host: endpoint.host, port: endpoint.port, of: origin, now: clock.date)
    bindings?.forget(endpoint, of: origin)
  }

  private func remember(_ origin: Origin) {
    if asked.count < AlternativeFinder.askedLimit { asked.insert(origin) }
  }

  private func saidEndpoint(of origin: Origin) -> AlternativeEndpoint? {
    let service = said.services(of: origin, now: clock.date).first { $0.protocolName == "h3" }
    return service.map { AlternativeEndpoint(host: $0.host ?? origin.host, port: $0.port) }
  }

  private func read() {
    readings += 1
    said.refresh { [weak self, eventLoop] in
      eventLoop.execute { [weak self] in self?.hasRead() }
    }
  }

  private func hasRead() {
    readings -= 1
    guard readings == 0 else { return }
    let asked = asked
    self.asked = []
    for origin in asked where saidEndpoint(of: origin) != nil { found?(origin) }
  }

  private func networkChanged() {
    said.networkChanged(now: clock.date)
    bindings?.removeAll()
  }
}
