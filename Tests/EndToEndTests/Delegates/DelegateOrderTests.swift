import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What the app puts on the delegate queue in a callback runs before the callbacks that come after it.
@Suite(.timeLimit(.minutes(30))) struct DelegateOrderTests {
  /// Where delegates run, and how the app puts its blocks there.
  enum Place: CaseIterable, Sendable, CustomTestStringConvertible {
    case sessionsOwn
    case sessionsOwnCurrent
    case sessionsOwnUnderlying
    case serial
    case underlying
    case main
    case mainDispatch

    var testDescription: String { "\(self)" }

    /// Kept here because an operation queue doesn't keep its underlying queue.
    private static let dispatchQueue = DispatchQueue(label: "app")

    var queue: OperationQueue? {
      switch self {
      case .sessionsOwn, .sessionsOwnCurrent, .sessionsOwnUnderlying: return nil
      case .main, .mainDispatch: return .main
      case .serial, .underlying:
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        if self == .underlying { queue.underlyingQueue = Place.dispatchQueue }
        return queue
      }
    }

    func put(_ session: URLSession, _ block: @escaping @Sendable () -> Void) {
      switch self {
      case .sessionsOwn, .serial, .main: session.delegateQueue.addOperation(block)
      case .sessionsOwnCurrent: OperationQueue.current?.addOperations([BlockOperation(block: block)], waitUntilFinished: false)
      case .sessionsOwnUnderlying, .underlying: session.delegateQueue.underlyingQueue?.async(execute: block)
      case .mainDispatch: DispatchQueue.main.async(execute: block)
      }
    }
  }

  private static let order = ["response", "response's block", "data", "data's block", "metrics", "metrics' block", "completion"]

  @Test(arguments: Place.allCases) func blocksOfACallbackRunBeforeTheNextCallback(_ place: Place) async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: .text("ok"))
      let log = OrderLog(place)
      let session = URLSession(configuration: configuration, delegate: log, delegateQueue: place.queue)
      for _ in 0..<100 {
        let tasks = (0..<10).map { _ in session.dataTask(with: server.url()) }
        for task in tasks { task.resume() }
        for _ in tasks { await log.completion.wait() }
        for task in tasks { try #require(log.events(of: task) == DelegateOrderTests.order) }
      }
      session.invalidateAndCancel()
    }
  }

  /// Blocks may run beside the next callback there; the callbacks of a task stay in order.
  @Test func callbacksOfATaskStayInOrderOnAConcurrentQueue() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: .text("ok"))
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 4
      let log = OrderLog(.serial)
      let session = URLSession(configuration: configuration, delegate: log, delegateQueue: queue)
      for _ in 0..<100 {
        let tasks = (0..<10).map { _ in session.dataTask(with: server.url()) }
        for task in tasks { task.resume() }
        for _ in tasks { await log.completion.wait() }
        for task in tasks {
          try #require(log.events(of: task).filter { !$0.hasSuffix("block") } == ["response", "data", "metrics", "completion"])
        }
      }
      session.invalidateAndCancel()
    }
  }

  @Test func blocksOfMetricsRunBeforeTheCompletionHandler() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: .text("ok"))
      let log = OrderLog(.sessionsOwn)
      let session = URLSession(configuration: configuration, delegate: log, delegateQueue: nil)
      for _ in 0..<200 {
        let task = session.dataTask(with: server.url()) { _, _, _ in log.completion.send() }
        task.resume()
        await log.completion.wait()
        try #require(log.events(of: task) == ["metrics", "metrics' block"])
      }
      session.invalidateAndCancel()
    }
  }

  @Test func queueThatTheAppSuspendsInACallbackMakesNoMoreCalls() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: .text("ok"))
      let log = OrderLog(.sessionsOwn, suspends: true)
      // Else the load would wait for an answer to `willCacheResponse`.
      configuration.urlCache = nil
      let session = URLSession(configuration: configuration, delegate: log, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      await log.suspension.wait()
      // The load itself continues: all its calls are waiting.
      try await server.wait { task.state == .completed }
      #expect(log.events(of: task) == ["response", "data"])
      session.delegateQueue.isSuspended = false
      await log.completion.wait()
      #expect(log.events(of: task).last == "completion")
      session.invalidateAndCancel()
    }
  }

  /// The session's operations aren't the app's: they are made although the app cancels what is on the queue.
  @Test(arguments: [Place.sessionsOwn, .serial]) func callsAreMadeAlthoughTheQueuesOperationsAreCancelled(_ place: Place) async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: .text("ok"))
      let session = URLSession(configuration: configuration, delegate: nil, delegateQueue: place.queue)
      let (queue, log, release) = (session.delegateQueue, CompletionLog(), DispatchSemaphore(value: 0))
      queue.addOperation { release.wait() }
      session.dataTask(with: server.url(), completionHandler: log.handler).resume()
      // The operation that waits, and that of the completion handler.
      try await server.wait { queue.operationCount == 2 }
      queue.cancelAllOperations()
      release.signal()
      await withCheckedContinuation { continuation in queue.addOperation { continuation.resume() } }
      #expect(log.count == 1)
      session.invalidateAndCancel()
    }
  }
}

/// Writes down callbacks, and the blocks that they put on the queue.
private final class OrderLog: NSObject, URLSessionDataDelegate, Sendable {
  let completion = Signal()
  let suspension = Signal()
  private let place: DelegateOrderTests.Place
  private let suspends: Bool
  private let state = Mutex<[Int: [String]]>([:])

  init(_ place: DelegateOrderTests.Place, suspends: Bool = false) {
    self.place = place
    self.suspends = suspends
  }

  func events(of task: URLSessionTask) -> [String] { state.withLock { $0[task.taskIdentifier] ?? [] } }

  private func note(_ event: String, _ session: URLSession, _ task: URLSessionTask) {
    let number = task.taskIdentifier
    state.withLock { $0[number, default: []].append(event) }
    if event == "completion" { return completion.send() }
    let block = event.hasSuffix("s") ? "\(event)' block" : "\(event)'s block"
    place.put(session) { [self] in state.withLock { $0[number, default: []].append(block) } }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    note("response", session, dataTask)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if suspends {
      state.withLock { $0[dataTask.taskIdentifier, default: []] = ["response", "data"] }
      session.delegateQueue.isSuspended = true
      return suspension.send()
    }
    note("data", session, dataTask)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    note("metrics", session, task)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    note("completion", session, task)
  }
}
