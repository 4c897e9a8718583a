import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct DelegateTests {
  // MARK: order

  @Test(arguments: Wire.allCases) func failureIsToldAfterItsMetrics(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply.text("x").with(.disconnectBeforeHeaders))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      let error = await recorder.completion(of: task)
      #expect((error as? URLError)?.code == .networkConnectionLost)
      #expect((error as? URLError)?.failingURL == server.url())
      #expect(recorder.events == [.created, .metrics(transactions: 1), .completed(code: -1005)])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func failureInTheMiddleComesAfterTheDataBeforeIt(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 100), faults: [.disconnectAfterBodyBytes(10)]))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      let error = await recorder.completion(of: task)
      #expect((error as? URLError)?.code == .networkConnectionLost)
      #expect(recorder.body == Data("abcdefghij".utf8))
      #expect(recorder.milestones == [.created, .response(status: 200), .metrics(transactions: 1), .completed(code: -1005)])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func redirectsAndInterimResponsesComeBeforeTheResponse(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.redirect(to: "/end"), Reply(body: .text("x"), informational: [Reply.Informational(103)]))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      let events = recorder.milestones.filter { $0 != .willCache }
      #expect(
        events == [
          .created, .redirect(status: 302, to: server.url("/end")), .informational(status: 103), .response(status: 200),
          .metrics(transactions: 2), .completed(code: nil),
        ])
      #expect(task.currentRequest?.url == server.url("/end"))
      #expect(task.originalRequest?.url == server.url())
      session.invalidateAndCancel()
    }
  }

  @Test func taskIsAnnouncedSynchronouslyWithAnyDelegateQueue() throws {
    let queue = OperationQueue()
    queue.isSuspended = true
    let recorder = DelegateRecorder()
    let session = URLSession(configuration: .testing(), delegate: recorder, delegateQueue: queue)
    _ = session.dataTask(with: try #require(URL(string: "http://127.0.0.1/")))
    #expect(recorder.events == [.created])
    queue.isSuspended = false
    session.invalidateAndCancel()
  }

  @Test(arguments: Wire.allCases) func everyCallbackComesOnTheDelegateQueue(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.redirect(to: "/end"), Reply(body: .text("x"), informational: [Reply.Informational(103)]))
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      let delegate = QueueWatcher(queue)
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
      #expect(session.delegateQueue === queue)
      session.dataTask(with: server.url()).resume()
      await delegate.completed.wait()
      session.finishTasksAndInvalidate()
      await delegate.completed.wait()
      #expect(delegate.onQueue == ["redirect", "informational", "response", "data", "metrics", "completed", "invalid"])
      #expect(delegate.elsewhere == [])
    }
  }

  // MARK: task and session delegate

  @Test(arguments: Wire.allCases) func taskDelegateGetsEverythingBeforeTheSessionDelegate(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.redirect(to: "/end"), .text("x"))
      let (own, general) = (DelegateRecorder(), DelegateRecorder())
      let session = URLSession(configuration: configuration, delegate: general, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.delegate = own
      #expect(task.delegate === own)
      task.resume()
      #expect(await own.completion(of: task) == nil)
      #expect(task.delegate == nil)
      session.finishTasksAndInvalidate()
      await general.invalidation()
      #expect(general.events == [.created, .invalid])
      #expect(own.body == Data("x".utf8))
      #expect(own.milestones.first == .redirect(status: 302, to: server.url("/end")))
      #expect(own.milestones.last == .completed(code: nil))
    }
  }

  @Test(arguments: Wire.allCases) func taskDelegateWorksWithoutASessionDelegate(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("x"))
      let own = DelegateRecorder()
      let session = URLSession(configuration: configuration)
      let task = session.dataTask(with: server.url())
      task.delegate = own
      task.resume()
      #expect(await own.completion(of: task) == nil)
      #expect(own.body == Data("x".utf8))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func whatTheTaskDelegateLacksGoesToTheSessionDelegate(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.redirect(to: "/end"), .text("moved here"))
      let general = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: general, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.delegate = RedirectRefuser()
      task.resume()
      #expect(await general.completion(of: task) == nil)
      #expect(general.milestones == [.created, .response(status: 302), .metrics(transactions: 1), .completed(code: nil)])
      #expect(server.requestCount == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func delegateOfAnAsyncLoadDecidesAboutRedirects(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/", reply: .redirect(to: "/end"))
      server.route("/end", reply: .text("x"))
      let session = URLSession(configuration: configuration)
      let (_, refused) = try await session.data(from: server.url(), delegate: RedirectRefuser())
      #expect((refused as? HTTPURLResponse)?.statusCode == 302)
      let recorder = DelegateRecorder()
      let (data, followed) = try await session.data(from: server.url(), delegate: recorder)
      #expect(followed.url == server.url("/end"))
      #expect(data == Data("x".utf8))
      let events = recorder.events.filter { $0 != .willCache }
      #expect(events == [.created, .redirect(status: 302, to: server.url("/end")), .metrics(transactions: 2)])
      session.invalidateAndCancel()
    }
  }

  // MARK: answers

  @Test(arguments: Wire.allCases) func asyncSpellingsAreAsked(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.redirect(to: "/end"), .text("x"))
      let delegate = AsyncDelegate(.allow)
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      session.dataTask(with: server.url()).resume()
      #expect(await delegate.completion() == nil)
      #expect(delegate.events == ["redirect", "response", "data"])
      #expect(server.requests.last?.headers["X-Changed"] == "1")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func refusedResponseEndsCancelledWithoutData(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      // More than is read ahead: a response that is there as a whole leaves its connection to the next load.
      server.route("/", reply: Reply(body: .pattern(count: 4_000_000)))
      let recorder = DelegateRecorder(disposition: .cancel)
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      let error = await recorder.completion(of: task)
      #expect((error as? URLError)?.code == .cancelled)
      #expect(recorder.events == [.created, .response(status: 200), .metrics(transactions: 1), .completed(code: -999)])
      try await server.waitUntilGivenUp(over: wire)
      #expect(server.requests[0].resetCode == wire.cancelCode)
      session.invalidateAndCancel()

      let delegate = AsyncDelegate(.cancel)
      let other = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      other.dataTask(with: server.url()).resume()
      #expect(await delegate.completion() == -999)
      #expect(delegate.events == ["response"])
      other.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func droppedCompletionHandlersHoldNothingUp(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("x"), .redirect(to: "/end"))
      let delegate = ForgetfulDelegate()
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      session.dataTask(with: server.url()).resume()
      await delegate.completed.wait()
      #expect(delegate.code == -999)
      let redirected = session.dataTask(with: server.url(), completionHandler: { _, _, _ in delegate.completed.send() })
      redirected.resume()
      await delegate.completed.wait()
      #expect((redirected.response as? HTTPURLResponse)?.statusCode == 302)
      session.invalidateAndCancel()
    }
  }

  // MARK: metrics

  @Test(arguments: Wire.allCases) func metricsComeBeforeTheCompletionHandler(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("x"), Reply.text("x").with(.disconnectBeforeHeaders))
      for expectedCode in [nil, URLError.networkConnectionLost.rawValue] {
        let recorder = DelegateRecorder()
        let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
        let (code, hasMetrics) = await withCheckedContinuation { continuation in
          session.dataTask(with: server.url()) { _, _, error in
            continuation.resume(returning: ((error as? URLError)?.errorCode, recorder.metrics != nil))
          }.resume()
        }
        #expect(code == expectedCode)
        #expect(hasMetrics)
        session.finishTasksAndInvalidate()
        await recorder.invalidation()
        #expect(recorder.events.filter { $0 != .willCache } == [.created, .metrics(transactions: 1), .invalid])
      }
    }
  }

  @Test(arguments: Wire.allCases) func metricsComeBeforeAnAsyncResult(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("x"), Reply.text("x").with(.disconnectAfterHeaders))
      let first = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: first, delegateQueue: nil)
      _ = try await session.data(from: server.url())
      #expect(first.events.suffix(1) == [.metrics(transactions: 1)])
      await session.flush()
      let second = DelegateRecorder()
      #expect(await errorCode { _ = try await session.data(from: server.url(), delegate: second) } == -1005)
      #expect(second.events == [.created, .metrics(transactions: 1)])
      session.invalidateAndCancel()
    }
  }
}

/// Doesn't follow redirects; implements nothing else.
private final class RedirectRefuser: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}

/// Never answers.
private final class ForgetfulDelegate: NSObject, URLSessionDataDelegate {
  let completed = Signal()
  private let state = Mutex<Int?>(nil)

  var code: Int? { state.withLock { $0 } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {}

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {}

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    state.withLock { $0 = (error as NSError?)?.code }
    completed.send()
  }
}
