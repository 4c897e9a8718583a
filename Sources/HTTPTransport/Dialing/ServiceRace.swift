import LoadingModel
import NIOCore
import ProtocolRules

/// One attempt over TCP to connect to an origin with HTTPS records (RFC 9460, 3): at the places that they name, in their order, and finally at the
/// origin itself. The next place is tried when one has failed, or in parallel after a head start.
///
/// asking -> racing -> over
/// v        ^        ^
/// nameless --+--------+
///
/// While the DNS is asked for the records, the origin's own addresses are looked up. If a socket is being connected before the records arrive, the
/// records only count for later loads. If the origin has no addresses (`nameless`), as an alias may have none, the records are waited for briefly.
/// Kept alive by the closures that it waits for; confined to the event loop.
final class ServiceRace: @unchecked Sendable {
  // @unchecked: confined to the session's event loop, on which its channels are as well.
  private enum State {
    /// The records aren't known yet; the origin's own addresses are looked up, and no socket is being connected.
    case asking
    /// The origin's look-up has found no address, with this error; the records may still name a place.
    case nameless(any Error)
    case racing
    case over
  }

  private struct Runner {
    let place: ServicePlace
    let race: ConnectRace
  }

  private let attempt: ConnectAttempt
  private let dialer: SocketDialer
  private let services: any ServicePlaces
  private let purpose: SocketPurpose
  private let promise: EventLoopPromise<any Channel>
  private var state = State.racing
  private var waiting: ArraySlice<ServicePlace> = []
  private var runners: [Runner] = []
  private var running = 0
  private var planned: PlannedWake?
  private var origin: Origin { attempt.origin }
  private var eventLoop: any EventLoop { dialer.executor.eventLoop }

  init(_ attempt: ConnectAttempt, _ dialer: SocketDialer, _ services: any ServicePlaces, for purpose: SocketPurpose) {
    self.attempt = attempt
    self.dialer = dialer
    self.services = services
    self.purpose = purpose
    promise = dialer.executor.eventLoop.makePromise()
  }

  deinit { promise.fail(ChannelError.ioOnClosedChannel) }

  func begin() -> EventLoopFuture<any Channel> {
    attempt.whenEnded = { [weak self] in self?.fail(ChannelError.ioOnClosedChannel) }
    let known = services.places(of: origin) { [weak self] in self?.learned($0) }
    if known == nil { state = .asking }
    start(places(known ?? []))
    return promise.futureResult
  }

  private func places(_ known: [ServicePlace]) -> [ServicePlace] {
    // After `placeLimit` refusals, each of which took a handshake, only the origin itself is tried, unless its name must be encrypted.
    let isLast = attempt.refusedPlaces.count >= ServiceBindingRules.placeLimit && !ServiceBindingRules.areAllThereIs(known)
    return ServiceBindingRules.attempts(
      at: origin, isLast ? [] : known, offering: attempt.offeredProtocols, without: attempt.refusedPlaces)
  }

  /// Whether an attempt at `places` would differ from one at the origin's own host and port without address hints.
  private func isOther(_ places: [ServicePlace]) -> Bool {
    let own = ServicePlace(host: origin.host, port: origin.port)
    return places.isEmpty || !places.allSatisfy { own.isSame($0) && $0.addressHints.isEmpty }
  }

  /// The DNS has answered with the origin's places.
  private func learned(_ known: [ServicePlace]) {
    switch state {
    case .asking:
      state = .racing
      let places = places(known)
      // If a socket is already being connected, this load goes on with it.
      guard let own = runners.first?.race, !own.hasBegun, isOther(places) else { return }
      runners = []
      running = 0
      own.abandon()
      start(places)
    case .nameless(let error):
      let places = places(known)
      guard isOther(places) else { return fail(error) }
      planned.take()?.cancel()
      state = .racing
      start(places)
    case .racing, .over: return
    }
  }

  private func start(_ places: [ServicePlace]) {
    guard !places.isEmpty else { return fail(ServiceRace.noPlace(of: origin)) }
    waiting = places[...]
    advance()
  }

  /// Starts the race for the next place that waits, and plans the one after it.
  private func advance() {
    planned.take()?.cancel()
    guard let place = waiting.popFirst() else { return }
    let won = eventLoop.makePromise(of: (any Channel).self)
    let race = dialer.race(
      place.host, place.port, timings: attempt.timings, for: purpose, won, isAlone: runners.isEmpty && waiting.isEmpty,
      isWanted: { [attempt] in attempt.isWanted }, began: attempt.began)
    runners.append(Runner(place: place, race: race))
    running += 1
    won.futureResult.whenComplete { [self] in ended(race, place, $0) }
    race.begin(hints: place.addressHints)
    // If the race has failed within `begin`, the next place was started by that already.
    guard case .racing = state, !waiting.isEmpty, planned == nil else { return }
    planned = dialer.clock.plan(at: dialer.clock.now.advanced(bySeconds: ServiceBindingRules.headStart)) { [weak self, eventLoop] in
      eventLoop.execute { [weak self] in
        if let self, case .racing = self.state { self.advance() }
      }
    }
  }

  private func ended(_ race: ConnectRace, _ place: ServicePlace, _ result: Result<any Channel, any Error>) {
    // A race that was abandoned has been removed from `runners`: its failure doesn't count.
    guard let index = runners.firstIndex(where: { $0.race === race }) else { return }
    switch result {
    case .success(let channel):
      state = .over
      planned.take()?.cancel()
      let others = runners.filter { $0.race !== race }
      runners = []
      for other in others { other.race.abandon() }
      attempt.place = place
      if index > 0 { services.prefer(place, of: origin) }
      promise.succeed(channel)
    case .failure(let error):
      running -= 1
      if !waiting.isEmpty { return advance() }
      guard running == 0 else { return }
      guard case .asking = state, !race.hasBegun, (error as? ResolutionError)?.isTemporary == false else { return fail(error) }
      runners = []
      state = .nameless(error)
      planned = dialer.clock.plan(at: dialer.clock.now.advanced(bySeconds: ServiceBindingRules.headStart)) { [self] in
        eventLoop.execute { [self] in
          if case .nameless(let error) = state { fail(error) }
        }
      }
    }
  }

  static func noPlace(of origin: Origin) -> LoadError {
    LoadError(
      .cannotConnectToHost, .connect,
      "“\(origin.host)” is served by other protocols alone, or at places that have failed: its HTTPS records allow no connection elsewhere, as its "
        + "name is to be encrypted")
  }

  private func fail(_ error: any Error) {
    state = .over
    waiting = []
    planned.take()?.cancel()
    let races = runners
    runners = []
    for runner in races { runner.race.abandon() }
    promise.fail(error)
  }
}
