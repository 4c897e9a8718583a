import LoadingModel
import NIOCore
import NIOEmbedded
import ProtocolRules
import Testing

@testable import HTTPTransport

/// Look-ups and attempts as the test says, in virtual time.
final class ConnectRaceRig: @unchecked Sendable {
  // @unchecked: used by one test, on one thread.

  /// A clock that the test moves.
  final class Clock: LoadClock, @unchecked Sendable {
    var now = Instant(nanoseconds: 1_000_000_000_000)
    private var wakes: [(Instant, @Sendable () -> Void)] = []

    func wake(at deadline: Instant, _ action: @escaping @Sendable () -> Void) { wakes.append((deadline, action)) }

    func advance(by seconds: Double) {
      now = now.advanced(bySeconds: seconds)
      let due = wakes.filter { $0.0 <= now }
      wakes.removeAll { $0.0 <= now }
      for (_, action) in due { action() }
    }
  }

  final class Names: HostResolver, @unchecked Sendable {
    struct Question {
      let host: String
      let family: AddressFamily
      let answer: @Sendable (Result<[SocketAddress], ResolutionError>) -> Void
      let lifetime: @Sendable (Double) -> Void
    }

    var open: [Question] = []
    private(set) var count = 0

    func ask(
      _ host: String, _ port: Int, _ family: AddressFamily,
      _ answer: @escaping @Sendable (Result<[SocketAddress], ResolutionError>) -> Void, lifetime: @escaping @Sendable (Double) -> Void
    ) {
      count += 1
      open.append(Question(host: host, family: family, answer: answer, lifetime: lifetime))
    }
  }

  let loop = EmbeddedEventLoop()
  let clock = Clock()
  let names = Names()
  let timings = ConnectTimings()
  let hosts: HostCache
  let promise: EventLoopPromise<any Channel>
  private(set) var attempts: [(address: String, channel: EmbeddedChannel, promise: EventLoopPromise<any Channel>)] = []
  var tried: [String] { attempts.map(\.address) }

  init() {
    hosts = HostCache(eventLoop: loop, clock: clock, service: names)
    promise = loop.makePromise()
  }

  deinit { promise.fail(ChannelError.eof) }

  private(set) var race: ConnectRace?

  func dial(hints: [String] = []) {
    let race = ConnectRace("host.test", 80, hosts, clock, timings, promise) { [self] address, _, began in
      let channel = EmbeddedChannel(loop: loop)
      let promise = loop.makePromise(of: (any Channel).self)
      attempts.append((address.description.contains("80") ? address.ipAddress ?? "?" : "no port", channel, promise))
      began(channel)
      return promise.futureResult
    }
    self.race = race
    race.begin(hints: hints)
    loop.run()
  }

  func answer(_ family: AddressFamily, _ addresses: String...) throws {
    try answer(family, .success(addresses.map { try SocketAddress(ipAddress: $0, port: 0) }))
  }

  func answer(_ family: AddressFamily, _ result: Result<[SocketAddress], ResolutionError>) {
    for question in names.open where question.family == family { question.answer(result) }
    names.open.removeAll { $0.family == family }
    loop.run()
  }

  func advance(by seconds: Double) {
    clock.advance(by: seconds)
    loop.run()
  }

  func fail(_ index: Int, _ code: CInt) {
    attempts[index].promise.fail(IOError(errnoCode: code, reason: "connect"))
    loop.run()
  }

  /// What came of it; nil as long as nothing has.
  var outcome: Result<any Channel, any Error>? {
    let outcome = NIOLoopBoundBox<Result<any Channel, any Error>?>(nil, eventLoop: loop)
    promise.futureResult.whenComplete { outcome.value = $0 }
    loop.run()
    return outcome.value
  }

  func finish() {
    for attempt in attempts { attempt.promise.fail(ChannelError.eof) }
    loop.run()
    promise.fail(ChannelError.eof)
  }

  var error: LoadError? {
    if case .failure(let error) = outcome { TransportErrors.connecting(error) } else { nil }
  }
}

struct ConnectRaceTests {
  private static let (refused, unreachable): (CInt, CInt) = (111, 101)

  @Test func secondAddressIsTriedAfterAQuarterOfASecondAndTheFirstToAnswerWins() throws {
    let rig = ConnectRaceRig()
    rig.dial()
    try rig.answer(.v6, "2001:db8::1")
    try rig.answer(.v4, "192.0.2.1")
    #expect(rig.tried == ["2001:db8::1"])
    rig.advance(by: 0.249)
    #expect(rig.tried.count == 1)
    rig.advance(by: 0.002)
    #expect(rig.tried == ["2001:db8::1", "192.0.2.1"])
    rig.attempts[1].promise.succeed(rig.attempts[1].channel)
    rig.loop.run()
    #expect((try rig.outcome?.get()) === rig.attempts[1].channel)
    // The other socket is given up, and not taken when it comes after all.
    #expect(!rig.attempts[0].channel.isActive)
    rig.attempts[0].promise.succeed(rig.attempts[0].channel)
    rig.advance(by: 10)
    #expect(rig.tried.count == 2)
    #expect(rig.timings.connectStart == Instant(nanoseconds: 1_000_000_000_000))
  }

  @Test func hintsOutlastLookUpsWithoutAnAnswer() throws {
    let rig = ConnectRaceRig()
    rig.dial(hints: ["2001:db8::1", "192.0.2.1"])
    rig.answer(.v4, .failure(.unanswered("host.test", "no name server answers")))
    rig.answer(.v6, .failure(.unanswered("host.test", "no name server answers")))
    #expect(rig.tried == ["2001:db8::1"])
    rig.fail(0, Self.unreachable)
    #expect(rig.tried == ["2001:db8::1", "192.0.2.1"])
    rig.attempts[1].promise.succeed(rig.attempts[1].channel)
    #expect((try rig.outcome?.get()) === rig.attempts[1].channel)
  }

  /// The DNS has said that there is no such address.
  @Test func hintsAreDroppedForANameWithoutAddresses() {
    let rig = ConnectRaceRig()
    rig.dial(hints: ["2001:db8::1", "192.0.2.1"])
    rig.answer(.v4, .failure(.absent("host.test")))
    rig.answer(.v6, .failure(.absent("host.test")))
    rig.fail(0, Self.unreachable)
    #expect(rig.tried == ["2001:db8::1"])
    #expect(rig.error != nil)
  }

  @Test func slowFamilyHoldsUpTheOtherForFiftyMilliseconds() throws {
    let rig = ConnectRaceRig()
    rig.dial()
    rig.clock.advance(by: 1)
    try rig.answer(.v4, "192.0.2.1")
    #expect(rig.tried.isEmpty)
    rig.advance(by: 0.051)
    #expect(rig.tried == ["192.0.2.1"])
    #expect(rig.timings.lookupEnd.map { $0.seconds(since: Instant(nanoseconds: 1_000_000_000_000)) } == 1)
    rig.finish()
  }

  @Test func hintsAreTriedOnceAndGiveWayToAnswers() throws {
    let rig = ConnectRaceRig()
    rig.dial(hints: ["2001:db8::9", "192.0.2.9", "none"])
    #expect(rig.tried == ["2001:db8::9"])
    #expect(rig.timings.lookupEnd != nil)
    try rig.answer(.v4, "192.0.2.1")
    #expect(rig.tried == ["2001:db8::9", "192.0.2.1"])
    rig.attempts[0].promise.fail(ChannelError.eof)
    rig.attempts[1].promise.fail(ChannelError.eof)
    rig.loop.run()
    try rig.answer(.v6, "2001:db8::9", "2001:db8::1")
    #expect(rig.tried == ["2001:db8::9", "192.0.2.1", "2001:db8::1"])
    rig.finish()
  }

  @Test func abandonedRaceTriesNothingMore() throws {
    let rig = ConnectRaceRig()
    rig.dial(hints: ["192.0.2.9"])
    try rig.answer(.v6, "2001:db8::1")
    rig.race?.abandon()
    rig.loop.run()
    #expect(!rig.attempts.isEmpty && rig.attempts.allSatisfy { !$0.channel.isActive })
    let count = rig.attempts.count
    try rig.answer(.v4, "192.0.2.1")
    rig.advance(by: 10)
    #expect(rig.attempts.count == count)
    #expect(rig.error != nil)
    rig.finish()
  }

  @Test func refusalCountsMoreThanAMissingRoute() throws {
    let rig = ConnectRaceRig()
    rig.dial()
    try rig.answer(.v6, "2001:db8::1")
    try rig.answer(.v4, "192.0.2.1")
    rig.fail(0, ConnectRaceTests.unreachable)
    #expect(rig.tried.count == 2)
    rig.fail(1, ConnectRaceTests.refused)
    #expect(rig.error?.kind == .cannotConnectToHost)
    // Addresses none of which could be connected to are asked for again.
    let questions = rig.names.count
    _ = rig.hosts.addresses(of: "host.test", .v4)
    #expect(rig.names.count == questions + 1)
    rig.answer(.v4, .failure(.absent("host.test")))
  }

  @Test func noRouteToAnyAddressIsBeingOffline() throws {
    let rig = ConnectRaceRig()
    rig.dial()
    try rig.answer(.v6)
    try rig.answer(.v4, "192.0.2.1")
    rig.fail(0, ConnectRaceTests.unreachable)
    #expect(rig.error?.kind == .notConnectedToInternet)
  }

  @Test(arguments: [-3, -4] as [CInt]) func nameThatNobodyAnswersForIsNotOneThatIsNotThere(_ code: CInt) throws {
    let rig = ConnectRaceRig()
    rig.dial()
    // EAI_AGAIN and EAI_FAIL of the one family, EAI_NONAME of the other.
    rig.answer(.v6, .failure(ResolutionError(host: "host.test", code: code)))
    rig.answer(.v4, .failure(.absent("host.test")))
    #expect(rig.error?.kind == .dnsLookupFailed)
    let absent = ConnectRaceRig()
    absent.dial()
    for family in AddressFamily.allCases { absent.answer(family, .failure(.absent("host.test"))) }
    #expect(absent.error?.kind == .cannotFindHost)
  }
}

struct HostCacheTests {
  @Test func lookUpUnderWayServesAllAndIsKeptForHalfAMinute() throws {
    let rig = ConnectRaceRig()
    let first = rig.hosts.addresses(of: "a", .v4)
    let second = rig.hosts.addresses(of: "a", .v4)
    #expect(rig.names.count == 1)
    try rig.answer(.v4, "192.0.2.1")
    #expect(try first.wait() == second.wait())
    rig.clock.advance(by: 29)
    _ = rig.hosts.addresses(of: "a", .v4)
    #expect(rig.names.count == 1)
    rig.clock.advance(by: 2)
    _ = rig.hosts.addresses(of: "a", .v4)
    #expect(rig.names.count == 2)
    try rig.answer(.v4, "192.0.2.1")
  }

  @Test(arguments: [(0.0, 1.0), (10, 10), (300, 300), (86_400, 3600)])
  func answerIsKeptAsLongAsTheDNSSaysWithinBounds(_ said: Double, _ kept: Double) throws {
    let rig = ConnectRaceRig()
    _ = rig.hosts.addresses(of: "a", .v4)
    let question = try #require(rig.names.open.first)
    try rig.answer(.v4, "192.0.2.1")
    // The lifetime comes later, and counts from the answer on.
    rig.clock.advance(by: 0.5)
    question.lifetime(said)
    rig.loop.run()
    rig.clock.advance(by: kept - 1)
    _ = rig.hosts.addresses(of: "a", .v4)
    #expect(rig.names.count == 1)
    rig.clock.advance(by: 1)
    _ = rig.hosts.addresses(of: "a", .v4)
    #expect(rig.names.count == 2)
    // What is said of an old answer says nothing of the new one.
    question.lifetime(1000)
    try rig.answer(.v4, "192.0.2.1")
    rig.clock.advance(by: 31)
    _ = rig.hosts.addresses(of: "a", .v4)
    #expect(rig.names.count == 3)
    try rig.answer(.v4, "192.0.2.1")
  }

  @Test func absenceIsKeptForFiveSecondsAndSilenceNotAtAll() throws {
    let rig = ConnectRaceRig()
    _ = rig.hosts.addresses(of: "a", .v4)
    rig.answer(.v4, .failure(.absent("a")))
    _ = rig.hosts.addresses(of: "a", .v4)
    #expect(rig.names.count == 1)
    rig.clock.advance(by: 6)
    _ = rig.hosts.addresses(of: "a", .v4)
    #expect(rig.names.count == 2)
    rig.answer(.v4, .failure(ResolutionError(host: "a", code: -3)))
    _ = rig.hosts.addresses(of: "a", .v4)
    #expect(rig.names.count == 3)
    try rig.answer(.v4, "192.0.2.1")
  }

  @Test func emptiedBookAsksAnewWhateverIsUnderWay() throws {
    let rig = ConnectRaceRig()
    let old = rig.hosts.addresses(of: "a", .v4)
    rig.hosts.removeAll()
    let new = rig.hosts.addresses(of: "a", .v4)
    #expect(rig.names.count == 2)
    rig.names.open[0].answer(.success([try SocketAddress(ipAddress: "192.0.2.1", port: 0)]))
    rig.names.open[1].answer(.success([try SocketAddress(ipAddress: "192.0.2.2", port: 0)]))
    rig.loop.run()
    #expect(try old.wait().first?.ipAddress == "192.0.2.1")
    #expect(try new.wait().first?.ipAddress == "192.0.2.2")
    // What came from the networks before isn't kept.
    #expect(try rig.hosts.addresses(of: "a", .v4).wait().first?.ipAddress == "192.0.2.2")
  }

  @Test func namesAreBounded() throws {
    let rig = ConnectRaceRig()
    for index in 0..<(LookUpRules.limit * 2) {
      _ = rig.hosts.addresses(of: "host\(index)", .v4)
      try rig.answer(.v4, "192.0.2.1")
    }
    let count = rig.names.count
    _ = rig.hosts.addresses(of: "host\(LookUpRules.limit * 2 - 1)", .v4)
    #expect(rig.names.count == count)
    _ = rig.hosts.addresses(of: "host0", .v4)
    #expect(rig.names.count == count + 1)
    try rig.answer(.v4, "192.0.2.1")
  }
}
