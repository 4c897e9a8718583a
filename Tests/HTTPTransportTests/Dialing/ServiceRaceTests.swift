import LoadingModel
import NIOCore
import NIOEmbedded
import ProtocolRules
import Testing

@testable import HTTPTransport

/// An attempt at the places of HTTPS records: look-ups, records and sockets as the test says, in virtual time.
@Suite struct ServiceRaceTests {
  private final class Services: ServicePlaces {
    var known: [ServicePlace]?
    private(set) var preferred: [ServicePlace] = []
    private var listeners: [([ServicePlace]) -> Void] = []

    func follows(_ origin: Origin) -> Bool { true }
    func places(of origin: Origin, _ tell: @escaping ([ServicePlace]) -> Void) -> [ServicePlace]? {
      if known == nil { listeners.append(tell) }
      return known
    }
    func knownPlaces(of origin: Origin) -> [ServicePlace] { known ?? [] }
    func prefer(_ place: ServicePlace, of origin: Origin) { preferred.append(place) }
    func drop(_ place: ServicePlace, of origin: Origin) {}

    func answer(_ places: [ServicePlace]) {
      known = places
      for tell in listeners { tell(places) }
    }
  }

  private final class Rig: @unchecked Sendable {
    // @unchecked: used by one test, on one thread.
    let loop = EmbeddedEventLoop()
    let clock = ConnectRaceRig.Clock()
    let names = ConnectRaceRig.Names()
    let services = Services()
    let attempt: ConnectAttempt
    private(set) var sockets: [(address: SocketAddress, channel: EmbeddedChannel, promise: EventLoopPromise<any Channel>)] = []
    var tried: [String] { sockets.map { "\($0.address.ipAddress ?? "?"):\($0.address.port ?? 0)" } }
    private var result: EventLoopFuture<any Channel>?

    init() {
      attempt = ConnectAttempt(1, Destination(Origin(scheme: "https", host: "a.test", port: 443)), for: nil, offersHTTP2: true)
    }

    func begin() {
      var settings = SocketSettings()
      settings.opensChannel = { [self] address, _, began in
        let channel = EmbeddedChannel(loop: loop)
        let promise = loop.makePromise(of: (any Channel).self)
        sockets.append((address, channel, promise))
        return began(channel).flatMap { promise.futureResult }
      }
      var plan = DialPlan()
      plan.resolver = names
      let dialer = SocketDialer(executor: LoopExecutor(loop), clock: clock, settings: settings, plan: plan)
      result = ServiceRace(attempt, dialer, services, for: .standard).begin()
      loop.run()
    }

    func answer(_ host: String, _ address: String?) throws {
      let addresses = try address.map { [try SocketAddress(ipAddress: $0, port: 0)] } ?? []
      for question in names.open where question.host == host {
        question.answer(question.family == .v4 && address != nil ? .success(addresses) : .failure(.absent(host)))
      }
      names.open.removeAll { $0.host == host }
      loop.run()
    }

    func know(_ places: ServicePlace...) {
      services.answer(places)
      loop.run()
    }

    func advance(by seconds: Double) {
      clock.advance(by: seconds)
      loop.run()
    }

    func connect(_ index: Int) {
      sockets[index].promise.succeed(sockets[index].channel)
      loop.run()
    }

    func refuse(_ index: Int) {
      sockets[index].promise.fail(IOError(errnoCode: 111, reason: "connect"))
      loop.run()
    }

    /// What came of it; nil as long as nothing has.
    var outcome: Result<any Channel, any Error>? {
      let outcome = NIOLoopBoundBox<Result<any Channel, any Error>?>(nil, eventLoop: loop)
      result?.whenComplete { outcome.value = $0 }
      loop.run()
      return outcome.value
    }

    var error: LoadError? {
      if case .failure(let error) = outcome { TransportErrors.connecting(error) } else { nil }
    }

    /// Leaves nothing that waits.
    func finish() {
      attempt.end()
      for socket in sockets { socket.promise.fail(ChannelError.eof) }
      for question in names.open { question.answer(.failure(.absent(question.host))) }
      advance(by: 1000)
    }
  }

  private let first = ServicePlace(host: "b.test", port: 8443)
  private let second = ServicePlace(host: "c.test", port: 9443)

  @Test func nextPlaceIsTriedBesideOneThatDoesNotAnswer() throws {
    let rig = Rig()
    rig.services.known = [first, second]
    rig.begin()
    try rig.answer("b.test", "192.0.2.1")
    #expect(rig.tried == ["192.0.2.1:8443"])
    rig.advance(by: ServiceBindingRules.headStart - 0.01)
    #expect(rig.names.open.isEmpty)
    rig.advance(by: 0.02)
    try rig.answer("c.test", "192.0.2.2")
    #expect(rig.tried == ["192.0.2.1:8443", "192.0.2.2:9443"])
    rig.connect(1)
    #expect((try rig.outcome?.get()) === rig.sockets[1].channel)
    #expect(!rig.sockets[0].channel.isActive)
    #expect(rig.attempt.place == second && rig.services.preferred == [second])
    rig.finish()
    #expect(rig.tried.count == 2)
  }

  @Test func failuresAreFollowedAtOnceAndTheOriginIsTheLast() throws {
    let rig = Rig()
    rig.services.known = [first, second]
    rig.begin()
    try rig.answer("b.test", nil)
    try rig.answer("c.test", "192.0.2.2")
    rig.refuse(0)
    try rig.answer("a.test", "192.0.2.3")
    #expect(rig.tried == ["192.0.2.2:9443", "192.0.2.3:443"])
    #expect(rig.outcome == nil)
    rig.refuse(1)
    #expect(rig.error?.kind == .cannotConnectToHost)
    rig.finish()
  }

  @Test func recordCountsUntilTheFirstSocket() throws {
    let early = Rig()
    early.begin()
    early.know(first)
    try early.answer("a.test", "192.0.2.3")
    try early.answer("b.test", "192.0.2.1")
    #expect(early.tried == ["192.0.2.1:8443"])
    early.finish()

    let late = Rig()
    late.begin()
    try late.answer("a.test", "192.0.2.3")
    late.know(first)
    #expect(late.tried == ["192.0.2.3:443"])
    late.connect(0)
    #expect((try late.outcome?.get()) === late.sockets[0].channel)
    late.finish()
    #expect(late.tried.count == 1)
  }

  @Test func originWithoutAddressesWaitsForItsRecordForAMoment() throws {
    let saved = Rig()
    saved.begin()
    try saved.answer("a.test", nil)
    #expect(saved.outcome == nil)
    saved.know(ServicePlace(host: "b.test", port: 443))
    try saved.answer("b.test", "192.0.2.1")
    #expect(saved.tried == ["192.0.2.1:443"])
    saved.finish()

    for record in [[], nil] as [[ServicePlace]?] {
      let lost = Rig()
      lost.begin()
      try lost.answer("a.test", nil)
      #expect(lost.outcome == nil)
      if let record { lost.services.answer(record) } else { lost.advance(by: ServiceBindingRules.headStart + 0.01) }
      lost.loop.run()
      #expect(lost.error?.kind == .cannotFindHost)
      lost.finish()
    }
  }

  /// Keys for the client hello.
  private func keys() throws -> EncryptedHelloKeys {
    var list: [UInt8] = [0, 57, 0xFE, 0x0D, 0, 53, 1, 0, 32, 0, 32]
    list += [UInt8](repeating: 9, count: 32)
    list += [0, 4, 0, 1, 0, 1, 64, 6]
    list += Array("p.test".utf8)
    list += [0, 0]
    return try #require(EncryptedHelloKeys(list))
  }

  /// RFC 9848, 5.1: its name would be in the clear there.
  @Test func originIsNotTriedWhereAllPlacesHaveKeys() throws {
    let place = ServicePlace(host: "b.test", port: 8443, encryptedHello: try keys())
    let rig = Rig()
    rig.services.known = [place]
    rig.begin()
    try rig.answer("b.test", "192.0.2.1")
    rig.refuse(0)
    #expect(rig.error?.kind == .cannotConnectToHost)
    #expect(rig.tried == ["192.0.2.1:8443"])
    rig.finish()

    // Nor where none of them is for TCP, known before or while the origin's addresses are looked up.
    let useless = ServicePlace(host: "b.test", port: 443, protocols: ["h3"], encryptedHello: try keys())
    for isKnown in [true, false] {
      let lost = Rig()
      if isKnown { lost.services.known = [useless] }
      lost.begin()
      if !isKnown { lost.know(useless) }
      #expect(lost.error?.kind == .cannotConnectToHost)
      try lost.answer("a.test", "192.0.2.3")
      #expect(lost.tried.isEmpty)
      lost.finish()
    }
  }

  @Test func refusedPlacesAreLeftOut() throws {
    let rig = Rig()
    rig.services.known = [first, second]
    rig.attempt.refusedPlaces = [first]
    rig.begin()
    try rig.answer("c.test", "192.0.2.2")
    #expect(rig.tried == ["192.0.2.2:9443"])
    rig.finish()
  }

  @Test func endFromOutsideIsTheEndOfAll() throws {
    for isKnown in [true, false] {
      let rig = Rig()
      rig.services.known = isKnown ? [first, second] : nil
      rig.begin()
      if isKnown { try rig.answer("b.test", "192.0.2.1") }
      rig.attempt.end()
      rig.loop.run()
      #expect(rig.error != nil)
      let count = rig.tried.count
      rig.know(second)
      rig.advance(by: 10)
      #expect(rig.tried.count == count && rig.sockets.allSatisfy { !$0.channel.isActive })
      rig.finish()
    }
  }
}
