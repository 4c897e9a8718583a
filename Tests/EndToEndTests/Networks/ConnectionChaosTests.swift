import ChildProcesses
import Foundation
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Two hundred loads in flight while connections break, servers send GOAWAY and refuse, proxies stop and start again, and the machine's
/// address changes. For a moment in the suite, as long as one likes with `scripts/tests/soak-connections`.
@Suite(.serialized) struct ConnectionChaosTests {
  private static let seconds = ProcessInfo.processInfo.environment["CONNECTIONS_SOAK_SECONDS"].flatMap { Int($0) }

  @Test(.timeLimit(.minutes(20 + (seconds ?? 0) / 30)), arguments: Wire.overTCP)
  func eachLoadEndsOnceAndSafeOnesSucceed(_ wire: Wire) async throws {
    try await wire.serve({ $0.recordedRequestLimit = 0 }) { server, configuration async throws in
      let end = Self.seconds.map { ContinuousClock.now + .seconds($0) / Wire.overTCP.count }
      let start = ProcessFigures()
      let ground = try await ChaosGround(server, configuration, wire)
      await withTaskGroup(of: Void.self) { group in
        for worker in 0..<200 {
          group.addTask {
            var chance = SeededChance(20_261_121 &+ UInt64(worker))
            for round in 0..<10_000_000 {
              if let end { if ContinuousClock.now >= end { break } } else if round == 8 { break }
              await ground.load(&chance)
            }
          }
        }
      }
      let report = ground.report
      #expect(report.ends == report.starts)
      #expect(report.doubled == 0, "requests that may not be repeated, acted on twice")
      #expect(report.surprises.isEmpty, "\(report.surprises.prefix(10))")
      await ground.end()
      if Self.seconds != nil { print("\(wire): \(report)\n  start  \(start)\n  end    \(ProcessFigures())") }
    }
  }
}

/// One server, three ways to it, and what disturbs them.
private final class ChaosGround: Sendable {
  /// How loads have ended.
  struct Report: Sendable, CustomStringConvertible {
    var starts = 0
    var ends = 0
    var succeeded = 0
    /// Failures that are right: what was lost can't be sent again, or there was no route.
    var lost: [String: Int] = [:]
    /// Unsafe requests that the server has acted on more than once.
    var doubled = 0
    var disturbances = 0
    var surprises: [String] = []

    var description: String {
      let codes = lost.sorted { $0.value > $1.value }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
      return "\(starts) loads, \(ends) ends, \(succeeded) succeeded, \(disturbances) disturbances, lost for a reason: \(codes)"
    }
  }

  private struct State {
    var report = Report()
    var acted: [Int: Int] = [:]
    var proxy: TestProxy?
    /// Since when there is none.
    var isAwaySince: ContinuousClock.Instant?
    var wasAwayForLong = false
  }

  private enum Way: Int, CaseIterable {
    case direct, tunnel, socks
  }

  private static let document = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0) })
  /// Ended loads between two disturbances.
  private static let calm = 400

  private let server: TestServer
  private let network = VirtualNetwork(.toTestServers(.wired))
  private let sessions: [URLSession]
  private let proxyPort: Int
  private let state = Mutex(State())
  private let isDisturbing = Mutex(false)

  var report: Report {
    state.withLock { state in
      var report = state.report
      report.doubled = state.acted.values.count { $0 > 1 }
      return report
    }
  }

  init(_ server: TestServer, _ configuration: URLSessionConfiguration, _ wire: Wire) async throws {
    self.server = server
    // No other process gets its port while it is stopped.
    proxyPort = try ClosedPort.forProgram()
    let proxy = try await TestProxy.start(port: proxyPort)
    configuration.use(network)
    sessions = Way.allCases.map { way in
      let own = configuration.copy() as? URLSessionConfiguration ?? configuration
      switch way {
      case .direct: own.connectionProxyDictionary = [:]
      case .tunnel: own.use(proxy.port)
      case .socks: own.useSOCKS(proxy.port)
      }
      return URLSession(configuration: own)
    }
    state.withLock { $0.proxy = proxy }
    serve(wire)
  }

  private func serve(_ wire: Wire) {
    let chance = Mutex(SeededChance(7))
    server.route("/safe", .GET) { _ in
      var reply = Reply(body: .bytes(ChaosGround.document))
      switch chance.withLock({ $0.below(200) }) {
      case 0: reply.faults = [.closeAfterReply(announce: true)]
      case 1: reply.faults = [.closeAfterReply(announce: false)]
      case 2: reply.faults = [.goAway(isProcessed: true)]
      case 3: reply.faults = [.goAway(isProcessed: false)]
      case 4: reply.faults = [.resetStream(code: 7)]
      default: break
      }
      return reply
    }
    server.route("/unsafe", .POST) { [weak self] request in
      // What is refused hasn't been acted on.
      if wire.isMultiplexed, chance.withLock({ $0.isOne(in: 20) }) { return Reply(body: .none, faults: [.resetStream(code: 7)]) }
      if let number = request.uri.split(separator: "=").last.flatMap({ Int($0) }) { self?.act(number) }
      return .text("done")
    }
  }

  private func act(_ number: Int) { state.withLock { $0.acted[number, default: 0] += 1 } }

  func load(_ chance: inout SeededChance) async {
    let way = Way.allCases[chance.below(3)]
    let isSafe = !chance.isOne(in: 8)
    let number = state.withLock { state in
      state.report.starts += 1
      return state.report.starts
    }
    var request = URLRequest(url: server.url(isSafe ? "/safe" : "/unsafe?n=\(number)"))
    if !isSafe {
      request.httpMethod = "POST"
      request.httpBody = Data("body".utf8)
    }
    let recorder = DelegateRecorder()
    do {
      let (data, _) = try await sessions[way.rawValue].data(for: request, delegate: recorder)
      let isWhole = isSafe ? data == ChaosGround.document : data == Data("done".utf8)
      note(isWhole ? nil : "load \(number): \(data.count) bytes")
    } catch {
      noteFailure(error, number, isSafe: isSafe, way, recorder)
    }
    await disturb()
  }

  private func note(_ surprise: String?) {
    state.withLock { state in
      state.report.ends += 1
      if let surprise { state.report.surprises.append(surprise) } else { state.report.succeeded += 1 }
    }
  }

  /// A safe request is lost only in the middle of its response, of which the app may have had a part; another one only once it was sent.
  private func noteFailure(_ error: any Error, _ number: Int, isSafe: Bool, _ way: Way, _ recorder: DelegateRecorder) {
    let code = (error as? URLError)?.code ?? .unknown
    let transactions = recorder.metrics?.transactionMetrics ?? []
    let isLost = code == .networkConnectionLost && (!isSafe || transactions.last?.response != nil)
    let isAway = code == .cannotConnectToHost && way != .direct && wasProxyAwayForLong
    let hasReason = isLost || isAway
    let story = transactions.map { "\($0.isReusedConnection ? "kept" : "new")\($0.response == nil ? "" : "+head")" }
    state.withLock { state in
      state.report.ends += 1
      if hasReason {
        state.report.lost["\(way) \(isSafe ? "safe" : "unsafe") \(story.joined(separator: ",")) \(code.rawValue)", default: 0] += 1
      } else {
        state.report.surprises.append("load \(number) \(way) \(isSafe ? "safe" : "unsafe") \(story): \(error)")
      }
    }
  }

  /// After every so many loads, the first to end disturbs the others.
  private func disturb() async {
    let turn = state.withLock { $0.report.ends / ChaosGround.calm > $0.report.disturbances ? $0.report.disturbances : nil }
    guard let turn,
      !isDisturbing.withLock({ busy in
        defer { busy = true }; return busy
      })
    else { return }
    switch turn % 4 {
    case 0: server.breakConnections()
    case 1, 3: await restartProxy()
    default:
      network.change(to: .init("net0", .wired, addresses: ["192.0.2.1"], hasDefaultRoute: true))
      network.change(to: .toTestServers(.wired))
    }
    state.withLock { $0.report.disturbances += 1 }
    isDisturbing.withLock { $0 = false }
  }

  private func restartProxy() async {
    let proxy = state.withLock { state in
      state.isAwaySince = .now
      return state.proxy
    }
    await proxy?.shutdown()
    let next = try? await TestProxy.start(port: proxyPort)
    _ = wasProxyAwayForLong
    state.withLock { state in
      state.proxy = next
      if next != nil { state.isAwaySince = nil }
    }
  }

  /// Whether it has been away for longer than loads wait for it, which a busy machine can bring about.
  private var wasProxyAwayForLong: Bool {
    state.withLock { state in
      let patience = UnreachableProxies.pauses.dropLast().reduce(0, +)
      if let since = state.isAwaySince, since.duration(to: .now) > .seconds(patience) { state.wasAwayForLong = true }
      return state.wasAwayForLong
    }
  }

  func end() async {
    for session in sessions { session.invalidateAndCancel() }
    await state.withLock { $0.proxy }?.shutdown()
  }
}

extension TestProxy {
  fileprivate static func start(port: Int) async throws -> TestProxy {
    var options = Options()
    options.port = port
    return try await start(options)
  }
}
