import LoadingModel
import NIOCore
import ProtocolRules

/// One look-up of a name and the attempts to connect to its addresses (RFC 8305), for one call of `SocketDialer`: the first connected socket wins.
///
/// Kept alive by the closures that it waits for; confined to the event loop.
final class ConnectRace: @unchecked Sendable {
  // @unchecked: confined to the event loop of `promise`, on which its channels are as well; answers of the resolver come back to it.
  typealias Connecting = (SocketAddress, _ isOnly: Bool, _ began: @escaping @Sendable (any Channel) -> Void) -> EventLoopFuture<any Channel>

  private let host: String
  private let port: Int
  private let hosts: HostCache
  private let clock: any LoadClock
  private let timings: ConnectTimings
  private let promise: EventLoopPromise<any Channel>
  private let connect: Connecting
  private var race = AddressRace<SocketAddress>()
  private var answers: [Result<[SocketAddress], any Error>] = []
  private var failures: [any Error] = []
  private var attempts: [any Channel] = []
  /// Addresses that have been tried.
  private var tried: Set<SocketAddress> = []
  /// The addresses that an HTTPS record gave as hints, and whether a look-up has confirmed one of those that were tried.
  private var hints: Set<SocketAddress> = []
  private var isConfirmed = false
  private var isOver = false
  private var planned: [PlannedWake] = []

  /// - Parameter connect: Opens a socket to one address, and tells of it before it is connected.
  init(
    _ host: String, _ port: Int, _ hosts: HostCache, _ clock: any LoadClock, _ timings: ConnectTimings,
    _ promise: EventLoopPromise<any Channel>, _ connect: @escaping Connecting
  ) {
    self.host = host
    self.port = port
    self.hosts = hosts
    self.clock = clock
    self.timings = timings
    self.promise = promise
    self.connect = connect
  }

  private var eventLoop: any EventLoop { promise.futureResult.eventLoop }

  /// Whether connecting to an address has begun.
  var hasBegun: Bool { !tried.isEmpty }

  /// - Parameter hints: Addresses that are tried until the look-ups have answered.
  func begin(hints: [String] = []) {
    if timings.lookupStart == nil { timings.lookupStart = clock.now }
    timings.tell(.lookup(host: host))
    // Cached answers arrive during these calls: then no hints are needed.
    for family in AddressFamily.allCases {
      hosts.addresses(of: host, port: port, family).whenComplete { [self] in answered(family, $0) }
    }
    guard !hints.isEmpty, answers.isEmpty else { return }
    let addresses = hints.compactMap { try? SocketAddress(ipAddress: $0, port: port) }
    self.hints = Set(addresses)
    perform(race.hinted(Dictionary(grouping: addresses) { $0.family ?? .v4 }))
  }

  private func answered(_ family: AddressFamily, _ result: Result<[SocketAddress], any Error>) {
    answers.append(result)
    let addresses = ((try? result.get()) ?? []).map(withPort)
    if !addresses.isEmpty || answers.count == AddressFamily.allCases.count, timings.lookupEnd == nil { timings.lookupEnd = clock.now }
    if !addresses.isEmpty, !isOver { timings.tell(.addresses(host: host, addresses.compactMap(\.ipAddress))) }
    if addresses.contains(where: tried.contains) { isConfirmed = true }
    if case .failure(let error as ResolutionError) = result, error.isTemporary { return perform(race.answered(family, nil)) }
    let isUrgent = hasBegun && !isConfirmed && tried.isSubset(of: hints)
    perform(race.answered(family, addresses.filter { !tried.contains($0) }, isUrgent: isUrgent))
  }

  /// Ends the race without a result, because another race has been won or this one isn't wanted: its sockets are closed and `promise` fails.
  func abandon() {
    guard !isOver else { return }
    end()
    race.succeeded()
    for channel in attempts { channel.close(promise: nil) }
    attempts = []
    promise.fail(ChannelError.ioOnClosedChannel)
  }

  /// A socket is about to be connected; it is closed if another one wins.
  private func began(_ channel: any Channel) {
    if isOver { channel.close(promise: nil) } else { attempts.append(channel) }
  }

  private func withPort(_ address: SocketAddress) -> SocketAddress {
    var address = address
    address.port = port
    return address
  }

  private func perform(_ actions: [AddressRace<SocketAddress>.Action]) {
    for action in actions where !isOver {
      switch action {
      case .attempt(let address): attempt(address)
      case .wait(let seconds, let ticket):
        let wake = clock.plan(at: clock.now.advanced(bySeconds: seconds)) { [weak self, eventLoop] in
          eventLoop.execute { [weak self] in
            guard let self, !self.isOver else { return }
            self.perform(self.race.elapsed(ticket))
          }
        }
        planned.append(wake)
      case .giveUp: giveUp()
      }
    }
  }

  private func attempt(_ address: SocketAddress) {
    tried.insert(address)
    if timings.lookupEnd == nil { timings.lookupEnd = clock.now }
    if timings.connectStart == nil { timings.connectStart = clock.now }
    timings.peer = address
    timings.tell(.connecting(to: address.ipAddress ?? "", port: port))
    connect(address, isOnlyAddress) { [weak self] in self?.began($0) }.whenComplete { [self] result in
      switch result {
      case .success(let channel):
        guard !isOver else { return channel.close(promise: nil) }
        end()
        timings.peer = address
        timings.tell(.connected(to: address.ipAddress ?? "", port: port))
        race.succeeded()
        for other in attempts where other !== channel { other.close(promise: nil) }
        attempts = []
        promise.succeed(channel)
      case .failure(let error):
        failures.append(error)
        if !isOver { timings.tell(.failed(to: address.ipAddress ?? "", port: port, reason: TransportErrors.connecting(error).message)) }
        if !isOver { perform(race.failed()) }
      }
    }
  }

  /// Whether both look-ups together have found exactly one address.
  private var isOnlyAddress: Bool {
    answers.count == AddressFamily.allCases.count && answers.reduce(0) { $0 + ((try? $1.get().count) ?? 0) } == 1
  }

  private func end() {
    isOver = true
    for wake in planned { wake.cancel() }
    planned = []
  }

  private func giveUp() {
    guard !isOver else { return }
    end()
    if failures.isEmpty { timings.tell(.noAddress(host: host)) }
    if failures.isEmpty { return promise.fail(HostCache.failure(of: host, answers)) }
    hosts.forget(host, port: port)
    // If one address family isn't available here or has no route, the error of the other family, whose server answered, tells more.
    let errors = failures.map { (told: $0, error: TransportErrors.connecting($0)) }
    let reached = errors.filter { !TransportErrors.isWantOfNetwork($0.error) }
    let told = reached.first { !TransportErrors.isHostAway($0.error) } ?? reached.first ?? errors[0]
    promise.fail(told.told)
  }
}
