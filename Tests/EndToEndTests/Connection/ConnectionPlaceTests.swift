import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Where a connection's delegate is called, and until when.
@Suite(.timeLimit(.minutes(10))) struct ConnectionPlaceTests {
  @available(*, deprecated)
  @Test func delegateIsCalledOnTheRunLoopOfTheThreadThatMadeTheConnection() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("hello"))
      let (recorder, url) = (ConnectionRecorder(), server.url("/"))
      try await onOwnThread {
        let connection = NSURLConnection(request: URLRequest(url: url), delegate: recorder)
        #expect(connection != nil)
        turnRunLoop { recorder.hasEnded }
        #expect(recorder.threads == [ObjectIdentifier(Thread.current)])
      }
      #expect(recorder.body == Data("hello".utf8))
    }
  }

  @available(*, deprecated)
  @Test func connectionThatIsScheduledNowhereStartsInTheCurrentRunLoop() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("hello"))
      let (recorder, url) = (ConnectionRecorder(), server.url("/"))
      try await onOwnThread {
        let connection = NSURLConnection(request: URLRequest(url: url), delegate: recorder, startImmediately: false)
        connection?.start()
        turnRunLoop { recorder.hasEnded }
        #expect(recorder.threads == [ObjectIdentifier(Thread.current)])
      }
      #expect(recorder.messages.last == .finished)
    }
  }

  @available(*, deprecated)
  @Test func unscheduledConnectionWaitsForAnotherPlace() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("hello"))
      let (recorder, queue, url) = (ConnectionRecorder(), OperationQueue(), server.url("/"))
      try await onOwnThread {
        let connection = NSURLConnection(request: URLRequest(url: url), delegate: recorder)
        connection?.unschedule(from: .current, forMode: .default)
        _ = RunLoop.current.run(mode: .default, before: Date())
        #expect(recorder.messages.isEmpty)
        connection?.setDelegateQueue(queue)
      }
      await recorder.ended()
      #expect(recorder.queues == [ObjectIdentifier(queue)])
    }
  }

  @available(*, deprecated)
  @Test func delegateIsCalledAlthoughTheQueuesOperationsAreCancelled() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("hello"))
      let (recorder, queue, release) = (ConnectionRecorder(), OperationQueue(), DispatchSemaphore(value: 0))
      queue.maxConcurrentOperationCount = 1
      queue.addOperation { release.wait() }
      try makeConnection(URLRequest(url: server.url("/")), recorder, queue).start()
      queue.cancelAllOperations()
      release.signal()
      await withCheckedContinuation { done in queue.addOperation { done.resume() } }
      try #require(!recorder.messages.isEmpty)
      await recorder.ended()
      #expect(recorder.body == Data("hello".utf8))
    }
  }

  @available(*, deprecated)
  @Test func nothingFollowsACancellation() async throws {
    try await TestServer.with { server async throws in
      let gate = Gate()
      server.route("/", reply: Reply(body: .chunks([Data("a".utf8), Data("b".utf8)]), faults: [.stallAfter(bodyBytes: 1, gate: gate)]))
      let (recorder, queue) = (ConnectionRecorder(), OperationQueue())
      let responded = Signal()
      recorder.onMessage = { connection in
        guard recorder.messages.last == .response(200) else { return }
        connection.cancel()
        responded.send()
      }
      try makeConnection(URLRequest(url: server.url("/")), recorder, queue).start()
      await responded.wait()
      try await server.waitForConnections(open: 0)
      gate.open()
      await withCheckedContinuation { done in queue.addBarrierBlock { done.resume() } }
      #expect(recorder.messages == [.willSend(path: "/", redirect: nil), .response(200)])
    }
  }

  @available(*, deprecated)
  @Test func connectionAndDelegateAreReleasedAtTheEnd() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("x"), .text("x"))
      let queue = OperationQueue()
      for cancels in [false, true] {
        weak var lostDelegate: ConnectionRecorder?
        weak var lostConnection: NSURLConnection?
        do {
          let recorder = ConnectionRecorder()
          let connection = try makeConnection(URLRequest(url: server.url("/")), recorder, queue)
          (lostDelegate, lostConnection) = (recorder, connection)
          connection.start()
          if cancels { connection.cancel() } else { await recorder.ended() }
        }
        for _ in 0..<10_000 where lostDelegate != nil || lostConnection != nil { try await server.wait { true } }
        #expect(lostDelegate == nil && lostConnection == nil)
      }
    }
  }

  @available(*, deprecated)
  @Test func cancelledConnectionOfAThreadThatIsGoneIsReleased() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("x"))
      let url = server.url("/")
      weak var lost: NSURLConnection?
      do {
        let connection = try await onOwnThread { NSURLConnection(request: URLRequest(url: url), delegate: ConnectionRecorder()) }
        lost = connection
        connection?.cancel()
      }
      for _ in 0..<10_000 where lost != nil { try await server.wait { true } }
      #expect(lost == nil)
    }
  }
}
