import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules
import Stores

/// Where else a session's origins are served: what they have said (Alt-Svc, RFC 7838), what the DNS says (HTTPS records, RFC 9460).
///
/// No load waits for it longer than for addresses: what the disk and the DNS haven't said yet counts as nothing, and `found` tells when they have. Owned by the
/// session; confined to its event loop.
package final class AlternativeFinder: ServicePlaces, @unchecked Sendable {
  // @unchecked: the `var`s are confined to `eventLoop`; the rest is immutable.

  /// Origins that are remembered to have been asked for while the disk is read.
  private static let askedLimit = 1000

  /// What origins have said.
  package let said: AlternativeServiceStore
  /// What the DNS has said; nil where it isn't asked.
  package let bindings: ServiceBindingCache?
  private let eventLoop: any EventLoop
  private let clock: any LoadClock
  private let network: any NetworkObserver
  private let plan: DialPlan
  private var watch: NetworkObservation?
  /// How often the disk is being asked.
  private var readings = 0
  /// Origins that were asked for, and had no alternative, while the disk was read.
  private var asked: Set<Origin> = []
  /// Told that an alternative has become known, of an origin that was asked for before without one.
  package var found: ((Origin) -> Void)?

  init(_ settings: LoadSettings, eventLoop: any EventLoop, clock: any LoadClock) {
    said = settings.alternatives ?? AlternativeServiceStore()
    // Without TLS 1.3 nothing can be encrypted.
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

  /// A load over https is on its way: the disk is read meanwhile, and changes of the network are heard from now on.
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

  /// Where HTTP/3 for `origin` may be tried: as it has said itself, else as the DNS says.
  func endpoint(of origin: Origin) -> AlternativeEndpoint? {
    assert(eventLoop.inEventLoop)
    guard origin.scheme == "https", plan.isNatural(origin) else { return nil }
    prepare()
    // What another process has noted meanwhile counts from the next load on.
    if readings == 0, !said.isCurrent { read() }
    if let said = saidEndpoint(of: origin) { return said }
    if readings > 0 { remember(origin) }
    // The DNS isn't asked where the app knows better.
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

  /// The origin whose records are asked for: RFC 9460, 9.6: they hold for WebSockets too.
  private func asked(of origin: Origin) -> Origin? {
    let asked = origin.scheme == "wss" ? Origin(scheme: "https", host: origin.host, port: origin.port) : origin
    return ServiceBindingRules.question(for: asked) == nil ? nil : asked
  }

  /// A response from `origin` has come, over a connection whose server was authenticated.
  func note(_ head: ResponseHead, from origin: Origin) {
    guard plan.isNatural(origin) else { return }
    prepare()
    said.note(head, from: origin, now: clock.date)
    if saidEndpoint(of: origin) != nil {
      found?(origin)
    } else if !said.isCurrent {
      // It is noted once the disk has been read.
      remember(origin)
      read()
    }
  }

  /// The server at a place that was said to serve `origin` hasn't proved that it does.
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
