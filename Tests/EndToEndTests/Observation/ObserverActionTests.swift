import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What handlers do to their task and its session, in the middle of a step of the load.
@Suite(.timeLimit(.minutes(10))) struct ObserverActionTests {
  enum Moment: String, CaseIterable {
    case running, request, sent, response, received, completed

    /// Calls `action` at the first change of a property of the task.
    func observe(_ task: URLSessionTask, _ action: @escaping @Sendable (URLSessionTask) -> Void) -> NSKeyValueObservation {
      let isDone = Flag()
      let once: @Sendable (URLSessionTask) -> Void = { if isDone.isFirst { action($0) } }
      return switch self {
      case .running: task.observe(\.state) { task, _ in once(task) }
      case .request: task.observe(\.currentRequest) { task, _ in once(task) }
      case .sent: task.observe(\.countOfBytesSent) { task, _ in once(task) }
      case .response: task.observe(\.response) { task, _ in once(task) }
      case .received: task.observe(\.countOfBytesReceived) { task, _ in once(task) }
      case .completed:
        task.observe(\.state) { task, _ in if task.state == .completed { once(task) } }
      }
    }
  }

  private final class Flag: Sendable {
    private let isSet = Mutex(false)
    /// True the first time.
    var isFirst: Bool {
      isSet.withLock { isSet in
        defer { isSet = true }
        return !isSet
      }
    }
  }

  /// Uploads and loads a body each way behind a redirect, with a handler that acts at `moment`.
  private func load(
    _ wire: Wire, _ moment: Moment, _ action: @escaping @Sendable (URLSessionTask, URLSession) -> Void
  ) async throws -> CompletionLog.Call {
    let log = CompletionLog()
    var call: CompletionLog.Call?
    try await wire.serve { server, configuration async throws in
      server.route("/", reply: .redirect(to: "/end", status: 307))
      server.route("/end", reply: Reply(body: .pattern(count: 300_000)))
      let session = URLSession(configuration: configuration)
      let request = URLRequest("PUT", server.url())
      let task = session.uploadTask(with: request, from: Data(count: 300_000), completionHandler: log.handler)
      let observation = moment.observe(task) { [weak session] task in if let session { action(task, session) } }
      task.resume()
      call = await log.call()
      observation.invalidate()
      #expect(task.state == .completed)
      // What the handler has started goes on.
      session.finishTasksAndInvalidate()
    }
    #expect(log.count == 1)
    return try #require(call)
  }

  @Test(arguments: Wire.allCases, Moment.allCases) func cancellingInAHandlerEndsTheTask(_ wire: Wire, _ moment: Moment) async throws {
    let call = try await load(wire, moment) { task, _ in task.cancel() }
    if moment != .completed { #expect(call.code == URLError.cancelled.rawValue) } else { #expect(call.error == nil) }
  }

  @Test(arguments: Wire.allCases, Moment.allCases) func suspendingAndResumingInAHandlerLosesNothing(
    _ wire: Wire, _ moment: Moment
  ) async throws {
    let call = try await load(wire, moment) { task, _ in
      task.suspend()
      task.priority = 1
      task.resume()
    }
    #expect(call.error == nil && call.data?.count == 300_000)
  }

  @Test(arguments: Wire.allCases, Moment.allCases) func invalidatingTheSessionInAHandlerEndsTheTask(
    _ wire: Wire, _ moment: Moment
  ) async throws {
    let call = try await load(wire, moment) { _, session in
      session.flush {}
      session.invalidateAndCancel()
    }
    if moment != .completed { #expect(call.code == URLError.cancelled.rawValue) } else { #expect(call.error == nil) }
  }

  @Test(arguments: Wire.allCases, Moment.allCases) func anotherTaskStartedInAHandlerLoads(_ wire: Wire, _ moment: Moment) async throws {
    let second = CompletionLog()
    let url = try #require(URL(string: "data:,x"))
    let call = try await load(wire, moment) { _, session in
      session.dataTask(with: url, completionHandler: second.handler).resume()
    }
    #expect(call.error == nil)
    #expect(await second.call().data == Data("x".utf8))
  }
}
