import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Interceptors together with the ways that loads take: proxies, the cache's refreshes; and calls that are given up.
@Suite(.timeLimit(.minutes(10))) struct InterceptorWayTests {
  /// Adds a field and notes the status.
  private static func noting(_ log: Around.Log) -> Around {
    Around { request, next in
      var request = request
      request.setValue("here", forHTTPHeaderField: "X-Seen")
      let response = try await next(request)
      log.add("\(response.statusCode ?? 0)")
      return response
    }
  }

  private static func guarded() -> TestProxy.Options {
    var options = TestProxy.Options()
    options.challenge = "Basic realm=\"p\""
    options.accepts = { $0 == basic("u", "p") }
    return options
  }

  // MARK: proxies

  /// By CONNECT for what has TLS. The proxy's challenge is inside of `next`, and what the interceptor adds isn't the proxy's to see.
  @Test(arguments: Wire.overTCP) func loginToAProxyIsInside(_ wire: Wire) async throws {
    try await serveBehindProxy(wire) { server, configuration async throws in
      server.route("/*") { .text($0.headers["X-Seen"] ?? "missing") }
      try await TestProxy.with(Self.guarded()) { proxy async throws in
        let log = Around.Log()
        configuration.use(proxy.port)
        configuration.interceptors = [Self.noting(log)]
        let delegate = ChallengeAnswerer { _ in (.useCredential, URLCredential(user: "u", password: "p", persistence: .forSession)) }
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        #expect(try await session.text(from: server.url("/", host: "server.test")).0 == "here")
        #expect(log.all == ["200"] && delegate.asked.count == 1)
        #expect(proxy.connections.map(\.wasLetIn) == [false, true])
        if wire != .plain { #expect(proxy.connections.allSatisfy { !$0.headers.contains(name: "X-Seen") }) }
        #expect(server.requests.allSatisfy { !$0.headers.contains(name: "Proxy-Authorization") })
        session.invalidateAndCancel()
      }
    }
  }

  /// A proxy's refusal: the response itself of a forwarded request, an error or the 407 of a tunnel; and the interceptor may send again.
  @Test(arguments: Wire.overTCP) func refusalByAProxyIsSeen(_ wire: Wire) async throws {
    try await serveBehindProxy(wire) { server, configuration async throws in
      server.route("/*", reply: .text("ok"))
      try await TestProxy.with(Self.guarded()) { proxy async throws in
        let log = Around.Log()
        configuration.use(proxy.port)
        configuration.interceptors = [
          Around { request, next in
            do {
              log.add("\(try await next(request).statusCode ?? 0)")
            } catch {
              log.add("\((error as? URLError)?.code.rawValue ?? 0)")
            }
            return try await next(request)
          }
        ]
        let session = URLSession(configuration: configuration)
        let recorder = DelegateRecorder()
        let task = session.dataTask(with: server.url("/", host: "server.test"))
        task.delegate = recorder
        task.resume()
        _ = await recorder.completion(of: task)
        #expect(log.all.count == 1 && log.all != ["200"])
        #expect(server.requests.isEmpty && proxy.connections.allSatisfy { !$0.wasLetIn })
        session.invalidateAndCancel()
      }
    }
  }

  // MARK: the cache

  /// What refreshes a stale response by itself repeats a request that has been seen: with what the interceptor has made of it.
  @Test func refreshInTheBackgroundIsNotIntercepted() async throws {
    let log = Around.Log()
    try await CacheScene.with({ $0.interceptors = [Self.noting(log)] }) { server, scene async throws in
      let before = log.all.count
      let fields: HeaderList = ["Cache-Control": "max-age=10, stale-while-revalidate=60"]
      server.enqueue(.fields("one", fields), .fields("two", fields))
      #expect(try await scene.load(server.url("/a")).text == "one")
      scene.clock.advance(by: 20)
      #expect(try await scene.load(server.url("/a")).text == "one")
      #expect(try await server.waitForRequest(2).headers["X-Seen"] == "here")
      await scene.session.flush()
      #expect(log.all.count == before + 2)
      // The refreshed response is found by the request as the interceptor makes it.
      for _ in 0..<1000 where try await scene.load(server.url("/a")).text != "two" { await scene.session.flush() }
      #expect(try await scene.load(server.url("/a")).text == "two")
      #expect(server.requestCount == 2)
    }
  }

  // MARK: calls that are given up

  /// Calls `next` in a child task, which is cancelled once the server has the request.
  private static func givingUp(
    _ log: Around.Log, _ arrived: Signal, then: @escaping Around.Body
  ) -> Around {
    Around { request, next in
      let call = Task { try await next(request) }
      await arrived.wait()
      call.cancel()
      do {
        _ = try await call.value
        log.add("response")
      } catch {
        log.add("\((error as? URLError)?.code.rawValue ?? 0)")
      }
      return try await then(request, next)
    }
  }

  @Test(arguments: Wire.allCases) func cancelledCallEndsAndTheLoadGoesOn(_ wire: Wire) async throws {
    let (log, arrived, gate) = (Around.Log(), Signal(), Gate())
    let stalled = Reply(body: .text("late"), faults: [.delayBeforeHeaders(gate)])
    try await wire.serve([Self.givingUp(log, arrived) { try await $1($0) }], [stalled, .text("second")]) { server, session async throws in
      let recorder = DelegateRecorder()
      let task = session.dataTask(with: server.url())
      task.delegate = recorder
      task.resume()
      try await gate.reached()
      arrived.send()
      #expect(await recorder.completion(of: task) == nil)
      #expect(recorder.body == Data("second".utf8))
      #expect(log.all == ["-999"])
      #expect(recorder.metrics?.transactionMetrics.count == 2)
      gate.open()
    }
  }

  @Test(arguments: Wire.allCases) func answerOfItsOwnFollowsACancelledCall(_ wire: Wire) async throws {
    let (log, arrived, gate) = (Around.Log(), Signal(), Gate())
    let own = Self.givingUp(log, arrived) { request, _ in
      let url = try #require(request.url)
      let head = try #require(HTTPURLResponse(url: url, statusCode: 299, httpVersion: nil, headerFields: nil))
      return URLSessionInterceptedResponse(head, Data("own".utf8))
    }
    let stalled = Reply(body: .text("late"), faults: [.delayBeforeHeaders(gate)])
    try await wire.serve([own], [stalled]) { server, session async throws in
      let text = Task { try await session.text(from: server.url()).0 }
      try await gate.reached()
      arrived.send()
      #expect(try await text.value == "own")
      #expect(log.all == ["-999"])
      gate.open()
    }
  }

  /// The load is cancelled while a second call waits: that counts, and not what ended the first.
  @Test(arguments: Wire.allCases) func loadIsCancelledAfterACancelledCall(_ wire: Wire) async throws {
    let (log, arrived, gate) = (Around.Log(), Signal(), Gate())
    let stalled = Reply(body: .text("late"), faults: [.delayBeforeHeaders(gate)])
    try await wire.serve([Self.givingUp(log, arrived) { try await $1($0) }], [stalled, stalled]) { server, session async throws in
      let load = Task { await session.failure(of: server.url())?.code }
      try await gate.reached()
      arrived.send()
      try await gate.reached(2)
      load.cancel()
      #expect(await load.value == .cancelled)
      #expect(log.all == ["-999"])
      gate.open()
    }
  }

  /// A retry policy doesn't take it for a failure that may pass.
  @Test func cancelledCallIsNotRepeated() async throws {
    let (log, arrived, gate) = (Around.Log(), Signal(), Gate())
    let stalled = Reply(body: .text("late"), faults: [.delayBeforeHeaders(gate)])
    try await Wire.plain.serve(
      [Self.givingUp(log, arrived) { try await $1($0) }], [stalled, .text("second")],
      { $0.retryPolicy = URLSessionRetryPolicy(maximumAttempts: 5) }
    ) { server, session async throws in
      let text = Task { try await session.text(from: server.url()).0 }
      try await gate.reached()
      arrived.send()
      #expect(try await text.value == "second")
      #expect(server.requestCount == 2)
      gate.open()
    }
  }

  @Test func taskThatIsCancelledAlreadySendsNothing() async throws {
    let log = Around.Log()
    let late = Around { request, next in
      let call = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await next(request)
      }
      do { _ = try await call.value } catch { log.add("\((error as? URLError)?.code.rawValue ?? 0)") }
      return try await next(request)
    }
    try await Wire.plain.serve([late], [.text("ok")]) { server, session async throws in
      #expect(try await session.text(from: server.url()).0 == "ok")
      #expect(log.all == ["-999"] && server.requestCount == 1)
    }
  }
}
