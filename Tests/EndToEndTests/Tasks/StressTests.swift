import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Many loads at once over a server that fails at random, cancelled and suspended at random from other threads.
///
/// `URL_LOADING_STRESS_LOADS` sets how many; `URL_LOADING_STRESS_SEED` sets which.
@Suite(.timeLimit(.minutes(30))) struct StressTests {
  private static func number(_ name: String) -> UInt64? { ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } }

  private static let paths = [
    "/small", "/large", "/chunked", "/redirect", "/closes", "/closes-silently", "/cut", "/cut-at-once", "/refuses", "/resets", "/garbage",
  ]

  private static func replies() -> TestServer.Routes {
    var routes = TestServer.Routes()
    let large = Reply.Body.pattern(count: 100_000)
    routes.add("/small", reply: .text("small"))
    routes.add("/large", reply: Reply(body: large))
    routes.add("/chunked", reply: Reply(body: large, framing: .chunked))
    routes.add("/redirect", reply: .redirect(to: "/small"))
    routes.add("/closes", reply: Reply.text("x").with(.closeAfterReply(announce: true)))
    routes.add("/closes-silently", reply: Reply.text("x").with(.closeAfterReply(announce: false)))
    routes.add("/cut", reply: Reply(body: large, faults: [.disconnectAfterBodyBytes(5000)]))
    routes.add("/cut-at-once", reply: Reply(body: large, faults: [.disconnectAfterHeaders]))
    routes.add("/refuses", reply: Reply.text("x").with(.disconnectBeforeHeaders))
    routes.add("/resets", reply: Reply.text("x").with(.reset))
    routes.add("/garbage", reply: Reply.text("x").with(.garbage(Data("no HTTP at all\r\n\r\n".utf8))))
    return routes
  }

  @Test(arguments: [Wire.plain] + Wire.multiplexed) func everyLoadEndsOnceWhateverHappens(_ wire: Wire) async throws {
    let count = Int(StressTests.number("URL_LOADING_STRESS_LOADS") ?? (wire.isMultiplexed ? 3000 : 10_000))
    let seed = StressTests.number("URL_LOADING_STRESS_SEED") ?? 20_260_101
    let leaks = LeakCheck()
    try await wire.serve({ $0.routes = StressTests.replies() }) { server, configuration async throws in
      let delegate = EndCounter()
      let session = StressTests.makeSession(configuration, delegate, leaks)
      let workers = 48
      await withTaskGroup(of: Void.self) { group in
        for worker in 0..<workers {
          group.addTask {
            var chance = SeededChance(seed &+ UInt64(worker))
            for _ in 0..<(count / workers) { await StressTests.load(session(), server, delegate, &chance) }
          }
        }
      }
      session().finishTasksAndInvalidate()
      await delegate.invalidated.wait()
      #expect(await session().allTasks.isEmpty)
      #expect(delegate.started == delegate.ends.count)
      #expect(delegate.ends.values.allSatisfy { $0 == 1 })
      #expect(delegate.unexpectedCodes == [])
      try await server.waitForConnections(open: 0)
    }
    try await leaks.verify()
  }

  /// The closure alone keeps the session, so that it can be seen to go.
  private static func makeSession(
    _ configuration: URLSessionConfiguration, _ delegate: EndCounter, _ leaks: LeakCheck
  ) -> @Sendable () -> URLSession {
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    leaks.track(session, "session")
    return { session }
  }

  private static func load(_ session: URLSession, _ server: TestServer, _ delegate: EndCounter, _ chance: inout SeededChance) async {
    let path = chance.isOne(in: 2) ? "/small" : paths[chance.below(paths.count)]
    let url = server.url(path)
    let number = delegate.start()
    let disturbance = Disturbance(&chance)
    switch chance.below(4) {
    case 0:
      await withCheckedContinuation { continuation in
        let task = session.dataTask(with: url) { _, _, error in
          delegate.end(number, error)
          continuation.resume()
        }
        task.resume()
        disturbance.begin(task)
      }
    case 1:
      await withCheckedContinuation { continuation in
        let task = session.dataTask(with: url)
        delegate.expect(task, number, continuation)
        task.resume()
        disturbance.begin(task)
      }
    case 2:
      let load = Task { try await session.data(from: url) }
      if disturbance == .cancel { load.cancel() }
      switch await load.result {
      case .success: delegate.end(number, nil)
      case .failure(let error): delegate.end(number, error)
      }
    default:
      do {
        let (bytes, _) = try await session.bytes(from: url)
        disturbance.begin(bytes.task)
        for try await _ in bytes.lines {}
        delegate.end(number, nil)
      } catch {
        delegate.end(number, error)
      }
    }
  }
}

/// What another thread does to a task.
private enum Disturbance {
  case none, cancel, pause, pauseAndCancel

  init(_ chance: inout SeededChance) {
    switch chance.below(10) {
    case 0: self = .cancel
    case 1, 2: self = .pause
    case 3: self = .pauseAndCancel
    default: self = .none
    }
  }

  func begin(_ task: URLSessionTask) {
    switch self {
    case .none: break
    case .cancel: DispatchQueue.global().async { task.cancel() }
    case .pause:
      DispatchQueue.global().async {
        task.suspend()
        DispatchQueue.global().async { task.resume() }
      }
    case .pauseAndCancel:
      DispatchQueue.global().async { task.suspend() }
      DispatchQueue.global().async { task.cancel() }
    }
  }
}

/// Counts the ends of loads, of whatever form, by number.
private final class EndCounter: NSObject, URLSessionDataDelegate {
  private struct State {
    var started = 0
    var ends: [Int: Int] = [:]
    var expected: [Int: (number: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
    var codes: Set<Int> = []
  }

  let invalidated = Signal()
  private let state = Mutex(State())

  var started: Int { state.withLock { $0.started } }
  var ends: [Int: Int] { state.withLock { $0.ends } }
  /// Cancellations, lost connections and unparsable answers are what the server and the test bring about.
  var unexpectedCodes: [Int] {
    let expected = [URLError.cancelled, .networkConnectionLost, .cannotParseResponse, .badServerResponse].map(\.rawValue)
    return state.withLock { $0.codes }.subtracting(expected).sorted()
  }

  func start() -> Int {
    state.withLock { state in
      state.started += 1
      return state.started
    }
  }

  func end(_ number: Int, _ error: (any Error)?) {
    state.withLock { state in
      state.ends[number, default: 0] += 1
      if let error { state.codes.insert((error as NSError).code) }
    }
  }

  func expect(_ task: URLSessionTask, _ number: Int, _ continuation: CheckedContinuation<Void, Never>) {
    state.withLock { $0.expected[task.taskIdentifier] = (number, continuation) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {}

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let (number, continuation) = state.withLock({ $0.expected[task.taskIdentifier] }) else { return end(0, error) }
    end(number, error)
    // A second call would be counted above, and trap here.
    continuation.resume()
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { invalidated.send() }
}
