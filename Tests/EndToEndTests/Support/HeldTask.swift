import Foundation
import URLLoadingSystem
import URLLoadingTestKit

/// A task whose server holds the reply back, and what a test needs to continue it.
struct HeldTask {
  let server: TestServer
  /// Open, it lets the reply pass: the text "x".
  let gate: Gate
  let task: URLSessionDataTask
  /// What the task's completion handler was given.
  let log: CompletionLog

  /// Runs `body` with a task that hasn't been resumed yet.
  static func with(over wire: Wire, _ body: (HeldTask) async throws -> Void) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.route("/", reply: Reply.text("x").with(.delayBeforeHeaders(gate)))
      let log = CompletionLog()
      let session = URLSession(configuration: configuration)
      let task = session.dataTask(with: server.url(), completionHandler: log.handler)
      try await body(HeldTask(server: server, gate: gate, task: task, log: log))
      session.invalidateAndCancel()
    }
  }

  /// Resumes the task and returns when its server waits at the gate.
  func start() async throws {
    task.resume()
    try await gate.reached()
  }
}
