import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What was told wrongly.
private final class Failures: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  func add(_ text: String?) { if let text { texts.withLock { $0.append(text) } } }
}

/// What a handler captures, so that it can be seen to go.
final class Captured: Sendable {}

/// Thousands of observed tasks, disturbed at random from other threads.
@Suite(.timeLimit(.minutes(30))) struct MassObservationTests {
  /// What is observed of one task.
  private struct Watch {
    let state: ChangeLog<URLSessionTask.State>
    let received: ChangeLog<Int64>
    let error: ChangeLog<(any Error)?>
    let observations: [NSKeyValueObservation]

    init(_ task: URLSessionDataTask, _ leaks: LeakCheck) {
      let captured = Captured()
      leaks.track(captured, "handler")
      let log = ChangeLog<URLSessionTask.State>()
      let states = task.observe(\.state, options: [.old, .new]) { _, change in
        _ = captured
        log.note(change)
      }
      let (received, error) = (task.log(\.countOfBytesReceived), task.log(\.error))
      (state, self.received, self.error) = (log, received.log, error.log)
      observations = [states, received.observation, error.observation]
      for observation in observations { leaks.track(observation, "observation") }
    }

    /// Whether each change was told once and in order, from the first state to the last.
    var isWhole: Bool {
      let (states, bytes) = (state.changes, received.changes)
      return state.isUnbroken && states.first?.old == .suspended && states.last?.new == .completed
        && states.filter { $0.new == .completed }.count == 1 && states.filter { $0.new == .canceling }.count <= 1
        && received.isUnbroken && bytes.map(\.new) == bytes.map(\.new).sorted { ($0 ?? 0) < ($1 ?? 0) }
        && error.entries.count <= 1
    }
  }

  @Test func tenThousandTasksTellEachChangeOnceInOrder() async throws {
    let count = ProcessInfo.processInfo.environment["URL_LOADING_STRESS_LOADS"].flatMap { Int($0) } ?? 10_000
    let leaks = LeakCheck()
    try await Wire.plain.serve({ options in
      options.recordedRequestLimit = 0
      options.routes.add("/", reply: Reply(body: .pattern(count: 20_000)))
    }) { server, configuration async throws in
      configuration.timeoutIntervalForRequest = 3600
      let session = URLSession(configuration: configuration)
      let (url, failures) = (server.url(), Failures())
      await withTaskGroup(of: Void.self) { group in
        for worker in 0..<48 {
          group.addTask {
            var chance = SeededChance(UInt64(worker) + 19)
            for _ in 0..<(count / 48 + 1) { failures.add(await MassObservationTests.load(session, url, leaks, &chance)) }
          }
        }
      }
      #expect(failures.all == [])
      session.invalidateAndCancel()
    }
    try await leaks.verify()
  }

  /// - Returns: What was told, if that is wrong.
  private static func load(_ session: URLSession, _ url: URL, _ leaks: LeakCheck, _ chance: inout SeededChance) async -> String? {
    let log = CompletionLog()
    let task = session.dataTask(with: url, completionHandler: log.handler)
    leaks.track(task, "task")
    let watch = Watch(task, leaks)
    let (cancels, suspends) = (chance.isOne(in: 2), chance.isOne(in: 4))
    task.resume()
    if suspends {
      DispatchQueue.global().async {
        task.suspend()
        DispatchQueue.global().async { task.resume() }
      }
    }
    if cancels { DispatchQueue.global().async { task.cancel() } }
    _ = await log.call()
    // Another thread may be telling the last change.
    while watch.state.changes.last?.new != .completed { await Task.yield() }
    defer { for observation in watch.observations { observation.invalidate() } }
    return watch.isWhole ? nil : "\(watch.state.entries) \(watch.received.entries) \(watch.error.entries)"
  }
}
