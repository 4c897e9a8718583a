import Foundation
import LoadingModel
import NIOCore
import NIOPosix
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Thousands of loads at once: all end, and no server gets more connections than the session may open.
@Suite(.timeLimit(.minutes(30))) struct MassLoadTests {
  @Test(arguments: [1, 100]) func tenThousandLoadsAtOnceFinish(hosts: Int) async throws {
    let servers = try await ManyHosts.start(hosts)
    let configuration = URLSessionConfiguration.testing()
    // So many take their time on a busy machine, and none is lost by it.
    configuration.timeoutIntervalForRequest = 3600
    let session = URLSession(configuration: configuration)
    let results = await MassLoadTests.load(10_000, from: servers.urls, session)
    #expect(results == Tally(successes: 10_000))
    #expect(servers.accepted.allSatisfy { (1...6).contains($0) }, "\(servers.accepted)")
    session.invalidateAndCancel()
    try await servers.stop()
  }

  @Test(arguments: [1, 100]) func twoThousandStreamsAtOnceFinish(hosts: Int) async throws {
    let authority = try TestCertificateAuthority()
    let addresses = (1...hosts).map { "127.0.0.\($0)" }
    var options = TestServer.Options.http2(try authority.issue(hosts: addresses))
    options.recordedRequestLimit = 0
    options.routes.add("/", reply: .text("ok"))
    var servers: [TestServer] = []
    for address in addresses {
      options.address = address
      servers.append(try await .start(options))
    }
    let configuration = URLSessionConfiguration.testing(trusting: authority)
    configuration.timeoutIntervalForRequest = 3600
    let session = URLSession(configuration: configuration)
    let results = await MassLoadTests.load(2000, from: zip(servers, addresses).map { $0.url("/", host: $1) }, session)
    #expect(results == Tally(successes: 2000))
    #expect(servers.allSatisfy { $0.acceptedConnections == 1 }, "\(servers.map(\.acceptedConnections))")
    session.invalidateAndCancel()
    for server in servers { await server.shutdown() }
  }

  /// How many loads set out to one server at once.
  private static func limit(_ wire: Wire) -> Int { wire.isMultiplexed ? 100 : 6 }

  @Test(arguments: [.plain] + Wire.multiplexed) func loadsThatWaitToSetOutCanBeCancelledAndTimeOut(_ wire: Wire) async throws {
    let clock = ManualClock()
    try await wire.serve { server, _ async throws in
      let configuration = try wire.configuration(clock: clock)
      configuration.timeoutIntervalForRequest = 30
      let session = URLSession(configuration: configuration)
      let gate = Gate()
      server.route("/held", reply: .text("ok").with(.delayBeforeHeaders(gate)))
      let ends = EndTally()
      let tasks = (0..<1000).map { _ in session.dataTask(with: server.url("/held")) { _, _, error in ends.add(error) } }
      for task in tasks { task.resume() }
      try await gate.reached(Self.limit(wire))
      for task in tasks.suffix(300) { task.cancel() }
      try await ends.reached(300)
      #expect(ends.tally == Tally(codes: [.cancelled: 300]))
      clock.advance(by: 31)
      try await ends.reached(1000)
      #expect(ends.tally == Tally(codes: [.cancelled: 300, .timedOut: 700]))
      gate.open()
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [.plain] + Wire.multiplexed) func suspendedLoadsDontHoldUpOthersOfTheirServer(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let gate = Gate()
      server.route("/held", reply: .text("ok").with(.delayBeforeHeaders(gate)))
      server.route("/", reply: .text("ok"))
      let (held, quick) = (EndTally(), EndTally())
      let holding = (0..<500).map { _ in session.dataTask(with: server.url("/held")) { _, _, error in held.add(error) } }
      for task in holding { task.resume() }
      try await gate.reached(Self.limit(wire))
      let last = session.dataTask(with: server.url()) { _, _, error in quick.add(error) }
      last.resume()
      for task in holding { task.suspend() }
      gate.open()
      try await quick.reached(1)
      #expect(quick.tally == Tally(successes: 1))
      for task in holding { task.resume() }
      try await held.reached(500)
      #expect(held.tally == Tally(successes: 500))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [.plain] + Wire.multiplexed) func priorityCountsAmongThoseThatHaventSetOut(_ wire: Wire) async throws {
    try await wire.serve({ $0.maximumConcurrentStreams = 1 }) { server, configuration async throws in
      configuration.httpMaximumConnectionsPerHost = 1
      let session = URLSession(configuration: configuration)
      let gate = Gate()
      server.route("/held", reply: .text("ok").with(.delayBeforeHeaders(gate)))
      server.route("/urgent", reply: .text("ok"))
      server.route("/", reply: .text("ok"))
      let ends = EndTally()
      // A server's limit is known once it has answered.
      _ = try await session.data(from: server.url())
      let first = session.dataTask(with: server.url("/held")) { _, _, error in ends.add(error) }
      first.resume()
      try await gate.reached(1)
      let others = (0..<600).map { _ in session.dataTask(with: server.url()) { _, _, error in ends.add(error) } }
      for task in others { task.resume() }
      let urgent = session.dataTask(with: server.url("/urgent")) { _, _, error in ends.add(error) }
      urgent.resume()
      urgent.priority = URLSessionTask.highPriority
      gate.open()
      try await ends.reached(602)
      let place = server.requests.firstIndex { $0.path == "/urgent" }
      // Those that had set out before it go first.
      #expect(place.map { $0 <= 160 } == true, "\(String(describing: place))")
      session.invalidateAndCancel()
    }
  }

  private static func load(_ count: Int, from urls: [URL], _ session: URLSession) async -> Tally {
    let ends = EndTally()
    for number in 0..<count {
      session.dataTask(with: urls[number % urls.count]) { data, _, error in
        ends.add(error ?? (data?.count == 2 ? nil : URLError(.cannotParseResponse)))
      }.resume()
    }
    try? await ends.reached(count)
    return ends.tally
  }
}

/// How loads have ended.
private struct Tally: Equatable, Sendable {
  var successes = 0
  var codes: [URLError.Code: Int] = [:]
}

private final class EndTally: Sendable {
  private struct State {
    var tally = Tally()
    var count = 0
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var tally: Tally { state.withLock { $0.tally } }

  func add(_ error: (any Error)?) {
    let ready = state.withLock { state in
      state.count += 1
      if let error { state.tally.codes[(error as? URLError)?.code ?? .unknown, default: 0] += 1 } else { state.tally.successes += 1 }
      let ready = state.waiting.filter { $0.count <= state.count }
      state.waiting.removeAll { $0.count <= state.count }
      return ready
    }
    for waiter in ready { waiter.continuation.resume() }
  }

  /// Returns when so many have ended.
  func reached(_ count: Int) async throws {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.count < count { state.waiting.append((count, continuation)) }
        return state.count >= count
      }
      if isReached { continuation.resume() }
    }
  }
}

/// Servers on many addresses of the loopback interface that answer every request with two bytes.
private final class ManyHosts: Sendable {
  private final class Responder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var newlines = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      // Requests without bodies end with an empty line.
      for byte in unwrapInboundIn(data).readableBytesView {
        switch byte {
        case UInt8(ascii: "\n"): newlines += 1
        case UInt8(ascii: "\r"): break
        default: newlines = 0
        }
        guard newlines == 2 else { continue }
        newlines = 0
        context.write(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")), promise: nil)
      }
      context.flush()
    }
  }

  /// Accepted connections, by host.
  private final class Accepted: Sendable {
    private let counts: Mutex<[Int]>

    init(_ hosts: Int) { counts = Mutex(Array(repeating: 0, count: hosts)) }

    var all: [Int] { counts.withLock { $0 } }

    func add(_ host: Int) { counts.withLock { $0[host] += 1 } }
  }

  private let group: MultiThreadedEventLoopGroup
  private let counts: Accepted
  let urls: [URL]

  var accepted: [Int] { counts.all }

  private init(_ group: MultiThreadedEventLoopGroup, _ counts: Accepted, _ urls: [URL]) {
    self.group = group
    self.counts = counts
    self.urls = urls
  }

  static func start(_ count: Int) async throws -> ManyHosts {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let accepted = Accepted(count)
    var urls: [URL] = []
    for index in 0..<count {
      let bootstrap = ServerBootstrap(group: group).childChannelInitializer { channel in
        accepted.add(index)
        return channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Responder()) }
      }
      let host = "127.0.0.\(index + 1)"
      let listener = try await bootstrap.bind(host: host, port: 0).get()
      urls.append(try #require(URL(string: "http://\(host):\(listener.localAddress?.port ?? 0)/")))
    }
    return ManyHosts(group, accepted, urls)
  }

  func stop() async throws { try await group.shutdownGracefully() }
}
