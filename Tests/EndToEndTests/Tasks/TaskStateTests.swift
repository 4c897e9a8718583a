import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct TaskStateTests {
  @Test(arguments: Wire.allCases) func stateGoesFromSuspendedThroughRunningToCompleted(_ wire: Wire) async throws {
    try await HeldTask.with(over: wire) { held async throws in
      let task = held.task
      #expect(task.state == .suspended)
      task.resume()
      #expect(task.state == .running)
      try await held.gate.reached()
      #expect(task.state == .running)
      held.gate.open()
      #expect(await held.log.call().error == nil)
      #expect(task.state == .completed)
      #expect(task.error == nil)
    }
  }

  @Test(arguments: Wire.allCases) func cancelledTaskLeavesRunningAtOnceAndEndsCompleted(_ wire: Wire) async throws {
    try await HeldTask.with(over: wire) { held async throws in
      let task = held.task
      try await held.start()
      task.cancel()
      let state = task.state
      #expect(state == .canceling || state == .completed)
      task.resume()
      task.suspend()
      #expect((await held.log.call().error as? URLError)?.code == .cancelled)
      #expect(task.state == .completed)
      #expect((task.error as? URLError)?.code == .cancelled)
    }
  }

  @Test(arguments: Wire.allCases) func stateIsCompletedBeforeTheCompletionIsDelivered(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("x"))
      let session = URLSession(configuration: configuration)
      let observed = TaskBox()
      let state: URLSessionTask.State? = await withCheckedContinuation { continuation in
        let task = session.dataTask(with: server.url()) { _, _, _ in continuation.resume(returning: observed.task?.state) }
        observed.task = task
        task.resume()
      }
      #expect(state == .completed)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func suspensionsNest(_ wire: Wire) async throws {
    try await HeldTask.with(over: wire) { held async throws in
      let task = held.task
      try await held.start()
      task.suspend()
      task.suspend()
      #expect(task.state == .suspended)
      task.resume()
      #expect(task.state == .suspended)
      task.resume()
      #expect(task.state == .running)
      held.gate.open()
      #expect(await held.log.call().data == Data("x".utf8))
    }
  }

  @Test(arguments: Wire.allCases) func surplusResumesAreIgnored(_ wire: Wire) async throws {
    try await HeldTask.with(over: wire) { held async throws in
      let task = held.task
      for _ in 0..<5 { task.resume() }
      try await held.gate.reached()
      task.suspend()
      #expect(task.state == .suspended)
      task.resume()
      held.gate.open()
      #expect(await held.log.call().error == nil)
      task.resume()
      task.suspend()
      #expect(task.state == .completed)
      #expect(held.server.requestCount == 1)
    }
  }

  /// Runs `body` with a task that hasn't been resumed yet; whatever `body` does, the task must then load its three bytes, once.
  private func withShortTask(over wire: Wire, _ body: (TestServer, URLSession, URLSessionTask) async throws -> Void) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      let log = CompletionLog()
      let session = URLSession(configuration: configuration)
      let task = session.dataTask(with: server.url("/bytes/3"), completionHandler: log.handler)
      try await body(server, session, task)
      #expect(await log.call().data?.count == 3)
      #expect(server.requests.filter { $0.path == "/bytes/3" }.count == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func taskSuspendedBeforeItStartedNeedsOneMoreResume(_ wire: Wire) async throws {
    try await withShortTask(over: wire) { server, session, task async throws in
      task.suspend()
      task.resume()
      #expect(task.state == .suspended)
      _ = try await session.data(from: server.url("/get"))
      #expect(server.requests.map(\.path) == ["/get"])
      task.resume()
    }
  }

  @Test(arguments: Wire.allCases) func taskSuspendedWhileItStartsSendsNothing(_ wire: Wire) async throws {
    try await withShortTask(over: wire) { _, _, task async throws in
      task.resume()
      task.suspend()
      task.resume()
    }
  }

  @Test(arguments: Wire.allCases) func suspensionPausesABodyAndResumingContinuesIt(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let length = 32 << 20
      let gate = Gate()
      server.route("/long", reply: Reply(body: .pattern(count: length), faults: [.stallAfter(bodyBytes: 100_000, gate: gate)]))
      server.route("/short", reply: .text("x"))
      let arrival = Gate(isOpen: true)
      let recorder = DelegateRecorder(dataGate: arrival)
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url("/long"))
      task.resume()
      try await arrival.reached()
      task.suspend()
      _ = try await session.data(from: server.url("/short"))
      let received = task.countOfBytesReceived
      gate.open()
      // Loads of the same session share a thread: this one's end means that the other had its chance.
      _ = try await session.data(from: server.url("/short"))
      #expect(task.countOfBytesReceived == received)
      #expect(server.sentBytes < length)
      #expect(task.state == .suspended)
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      #expect(task.countOfBytesReceived == Int64(length))
      #expect(recorder.body.count == length)
      #expect(recorder.body.last == UInt8(ascii: "a") + UInt8((length - 1) % 26))
      #expect(server.requests.filter { $0.path == "/long" }.count == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func suspensionPausesACollectedBody(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let length = 32 << 20
      let gate = Gate()
      server.route("/long", reply: Reply(body: .repeating(7, count: length), faults: [.delayBeforeBody(gate)]))
      server.route("/short", reply: .text("x"))
      let log = CompletionLog()
      let session = URLSession(configuration: configuration)
      let task = session.dataTask(with: server.url("/long"), completionHandler: log.handler)
      task.resume()
      try await gate.reached()
      task.suspend()
      _ = try await session.data(from: server.url("/short"))
      gate.open()
      _ = try await session.data(from: server.url("/short"))
      // What was on its way when the task was suspended may still be taken.
      #expect(task.countOfBytesReceived < 1 << 20)
      #expect(server.sentBytes < length)
      task.resume()
      let call = await log.call()
      #expect(call.data?.count == length)
      #expect(server.requests.filter { $0.path == "/long" }.count == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func suspendingAndResumingFromManyThreadsEndsAsCounted(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.route("/", reply: Reply(body: .repeating(1, count: 3_000_000), faults: [.delayBeforeBody(gate)]))
      let log = CompletionLog()
      let session = URLSession(configuration: configuration)
      let task = session.dataTask(with: server.url(), completionHandler: log.handler)
      task.resume()
      try await gate.reached()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            for _ in 0..<200 {
              task.suspend()
              task.resume()
            }
          }
        }
      }
      #expect(task.state == .running)
      gate.open()
      let call = await log.call()
      #expect(call.data?.count == 3_000_000)
      session.invalidateAndCancel()
    }
  }

  /// Makes a call with a delegate that suspends its task when it is made; the task must wait for the app, and then load three bytes.
  private func withSuspendedCall(
    over wire: Wire, _ call: @escaping @Sendable (URLSession, URLRequest, TaskSuspender) async throws -> Int
  ) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      let suspender = TaskSuspender()
      let session = URLSession(configuration: configuration)
      let request = URLRequest("POST", server.url("/bytes/3"))
      async let count = call(session, request, suspender)
      let task = try #require(await suspender.task())
      _ = try await session.data(from: server.url("/get"))
      #expect(task.state == .suspended)
      #expect(server.requests.map(\.path) == ["/get"])
      task.resume()
      #expect(try await count == 3)
      #expect(server.requests.map(\.path) == ["/get", "/bytes/3"])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func asyncDataOfATaskThatItsDelegateSuspendsWaitsForTheApp(_ wire: Wire) async throws {
    try await withSuspendedCall(over: wire) { try await $0.data(for: $1, delegate: $2).0.count }
  }

  @Test(arguments: Wire.allCases) func asyncUploadOfATaskThatItsDelegateSuspendsWaitsForTheApp(_ wire: Wire) async throws {
    try await withSuspendedCall(over: wire) { try await $0.upload(for: $1, from: Data("x".utf8), delegate: $2).0.count }
  }

  @Test(arguments: Wire.allCases) func asyncDownloadOfATaskThatItsDelegateSuspendsWaitsForTheApp(_ wire: Wire) async throws {
    try await withSuspendedCall(over: wire) { session, request, delegate async throws in
      let (file, _) = try await session.download(for: request, delegate: delegate)
      defer { try? FileManager.default.removeItem(at: file) }
      return try Data(contentsOf: file).count
    }
  }

  @Test(arguments: Wire.allCases) func asyncCallWhoseSuspendedTaskIsCancelledThrows(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let suspender = TaskSuspender()
      let session = URLSession(configuration: configuration)
      let url = server.url()
      let call = Task { try await session.data(from: url, delegate: suspender).0 }
      _ = await suspender.task()
      call.cancel()
      #expect(await errorCode { _ = try await call.value } == URLError.Code.cancelled.rawValue)
      #expect(server.requests.isEmpty)
      session.invalidateAndCancel()
    }
  }

  @Test func taskPropertiesTellRequestAndLabel() throws {
    let session = URLSession(configuration: .testing())
    let url = try #require(URL(string: "http://127.0.0.1/a"))
    let task = session.dataTask(with: url)
    #expect(task.originalRequest?.url == url)
    #expect(task.currentRequest?.url == url)
    #expect(task.response == nil)
    #expect(task.priority == URLSessionTask.defaultPriority)
    #expect(task.countOfBytesExpectedToReceive == NSURLSessionTransferSizeUnknown)
    #expect(task.countOfBytesExpectedToSend == 0)
    task.taskDescription = "label"
    #expect(task.taskDescription == "label")
    #expect(task.copy() as? URLSessionTask === task)
    session.invalidateAndCancel()
  }
}

/// Suspends tasks when they are made.
final class TaskSuspender: NSObject, URLSessionDataDelegate {
  private let made = Mutex<URLSessionTask?>(nil)
  private let signal = Signal()

  /// The task, once it has been made and suspended.
  func task() async -> URLSessionTask? {
    await signal.wait()
    return made.withLock { $0 }
  }

  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
    task.suspend()
    made.withLock { $0 = task }
    signal.send()
  }
}

/// Lets a completion handler see the task it belongs to. Written before the task starts.
final class TaskBox: @unchecked Sendable {
  // @unchecked: written once, before the task that reads it is resumed.
  var task: URLSessionTask?
}
