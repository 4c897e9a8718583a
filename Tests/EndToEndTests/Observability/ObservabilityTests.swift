#if Logging && Metrics && Tracing
  import Foundation
  import InMemoryLogging
  import InMemoryTracing
  import Logging
  import MetricsTestKit
  import Testing
  import Tracing
  import URLLoadingSystem
  import URLLoadingTestKit

  /// What log, metrics and traces have of loads.
  @Suite(.timeLimit(.minutes(10))) struct ObservabilityTests {
    /// Backends in memory.
    private struct Backends {
      let log = InMemoryLogHandler()
      let metrics = TestMetrics()
      let tracer = InMemoryTracer()

      func configure(_ configuration: URLSessionConfiguration, level: Logger.Level = .debug) {
        var logger = Logger(label: "loads") { [log] _ in log }
        logger.logLevel = level
        configuration.logger = logger
        configuration.metricsFactory = metrics
        configuration.tracer = tracer
      }

      /// What was logged, without the begin of tasks.
      var messages: [String] { log.entries.map { "\($0.level): \($0.message)" } }

      func count(_ name: String, _ dimensions: [(String, String)] = []) throws -> Int64 {
        try metrics.expectCounter("http.client.\(name)", dimensions).totalValue
      }

      func durations(_ name: String) -> Int { metrics.timers(label: "http.client.\(name)").reduce(0) { $0 + $1.values.count } }

      /// All text that was made of the loads.
      var text: String {
        var text = log.entries.map { "\($0.message) \($0.metadata)" }.joined()
        for span in tracer.finishedSpans {
          text += span.operationName + "\(span.status, default: "")"
          span.attributes.forEach { text += "\($0)=\($1)" }
          for event in span.events { event.attributes.forEach { text += "\(event.name) \($0)=\($1)" } }
        }
        return text
      }
    }

    private func loads(_ outcome: String, _ status: String) -> [(String, String)] {
      [("http.request.method", "GET"), ("http.response.status_class", status), ("outcome", outcome)]
    }

    @Test(arguments: Wire.http1) func aLoadThatIsRepeatedAndRedirectedLeavesSpanCountersAndLines(_ wire: Wire) async throws {
      let backends = Backends()
      try await wire.serve { server, configuration async throws in
        backends.configure(configuration)
        let session = URLSession(configuration: configuration)
        server.enqueue(.text("first"))
        _ = try await session.data(from: server.url("/first"))
        backends.log.clear()
        backends.tracer.clearAll()
        server.enqueue(Reply(faults: [.disconnectBeforeHeaders]), .redirect(to: "/to?token=hidden"), .text("done"))
        var request = URLRequest(url: server.url("/from?token=hidden#hidden"))
        request.setValue("hidden", forHTTPHeaderField: "Authorization")
        _ = try await session.data(for: request)

        #expect(
          backends.messages == [
            "debug: task begins", "debug: transaction ended", "info: request is sent again", "debug: transaction ended", "info: redirected",
            "debug: response", "debug: transaction ended", "debug: task completed",
          ])
        let redirected = try #require(backends.log.entries.first { $0.message == "redirected" })
        #expect(redirected.metadata["http.response.status_code"] == "302")
        #expect(redirected.metadata["url.full"] == "\(server.url("/to").absoluteString)?REDACTED")
        #expect(Set(backends.log.entries.compactMap { $0.metadata["url_session.request.id"]?.description }).count == 1)

        let span = try #require(backends.tracer.finishedSpans.first)
        #expect(backends.tracer.finishedSpans.count == 1)
        #expect(span.operationName == "GET")
        #expect(span.kind == .client)
        #expect(span.events.map(\.name) == ["http.resend", "http.redirect"])
        #expect(span.attributes["http.request.method"]?.toSpanAttribute() == .string("GET"))
        #expect(span.attributes["http.response.status_code"]?.toSpanAttribute() == .int64(200))
        #expect(span.attributes["http.request.resend_count"]?.toSpanAttribute() == .int64(2))
        #expect(span.attributes["server.port"]?.toSpanAttribute() == .int64(Int64(server.port)))
        #expect(span.attributes["network.protocol.version"]?.toSpanAttribute() == .string("1.1"))
        #expect(span.status == nil)

        #expect(try backends.count("loads", loads("success", "2xx")) == 2)
        #expect(try backends.count("redirects") == 1)
        #expect(try backends.count("resends") == 1)
        #expect(try backends.count("connections.opened", [("network.protocol.version", "1.1")]) == 2)
        #expect(try backends.count("connections.reused", [("network.protocol.version", "1.1")]) == 2)
        #expect(try backends.count("bytes.sent") > 0)
        #expect(try backends.count("bytes.received") > 0)
        #expect(backends.durations("load.duration") == 2)
        #expect(backends.durations("connection.wait.duration") == 4)
        #expect(backends.durations("connection.connect.duration") == 2)
        #expect(backends.durations("connection.tls.duration") == (wire == .tls ? 2 : 0))
        #expect(!backends.text.contains("hidden"))
        session.invalidateAndCancel()
      }
    }

    @Test(arguments: Wire.allCases) func aRepetitionAfterAStatusHasALineAnEventAndACount(_ wire: Wire) async throws {
      let backends = Backends()
      try await wire.serve { server, configuration async throws in
        backends.configure(configuration, level: .info)
        configuration.retryPolicy = URLSessionRetryPolicy(firstDelay: 0)
        let session = URLSession(configuration: configuration)
        server.enqueue(Reply(503), .text("ok"))
        _ = try await session.data(from: server.url())
        let line = try #require(backends.log.entries.first)
        #expect(backends.messages == ["info: request is sent again"])
        #expect(line.metadata["http.response.status_code"] == "503" && line.metadata["http.request.resend_count"] == "1")
        #expect(backends.tracer.finishedSpans.first?.events.map(\.name) == ["http.resend"])
        #expect(try backends.count("resends") == 1)
        session.invalidateAndCancel()
      }
    }

    @Test(arguments: Wire.allCases) func aCancelledLoadIsNoFailureOfTheServer(_ wire: Wire) async throws {
      let backends = Backends()
      try await wire.serve { server, configuration async throws in
        backends.configure(configuration)
        let session = URLSession(configuration: configuration)
        let gate = Gate()
        server.enqueue(Reply(body: .text("late"), faults: [.delayBeforeHeaders(gate)]))
        let load = Task { try await session.data(from: server.url("/")) }
        try await gate.reached()
        load.cancel()
        let error = await #expect(throws: URLError.self) { try await load.value }
        #expect(error?.code == .cancelled)
        gate.open()

        #expect(backends.messages == ["debug: task begins", "debug: transaction ended", "debug: task cancelled"])
        let span = try #require(backends.tracer.finishedSpans.first)
        #expect(span.attributes["error.type"]?.toSpanAttribute() == .string("cancelled"))
        #expect(span.status?.code == .error)
        #expect(backends.tracer.activeSpans.isEmpty)
        #expect(try backends.count("loads", loads("cancelled", "none")) == 1)
        session.invalidateAndCancel()
      }
    }

    @Test func failuresAndStatusesAreErrorsOfTheSpan() async throws {
      let backends = Backends()
      try await Wire.plain.serve { server, configuration async throws in
        backends.configure(configuration, level: .info)
        let session = URLSession(configuration: configuration)
        server.enqueue(Reply(503, body: .text("busy")), Reply(body: .text("cut"), faults: [.disconnectAfterHeaders]))
        _ = try await session.data(from: server.url("/busy"))
        let error = await #expect(throws: URLError.self) { try await session.data(from: server.url("/cut")) }
        #expect(error?.code == .networkConnectionLost)
        let (busy, cut) = (backends.tracer.finishedSpans[0], backends.tracer.finishedSpans[1])
        #expect(busy.status?.code == .error)
        #expect(busy.attributes["error.type"]?.toSpanAttribute() == .string("503"))
        #expect(cut.status?.code == .error)
        #expect(cut.attributes["error.type"]?.toSpanAttribute() == .string("networkConnectionLost"))
        #expect(backends.messages == ["notice: task failed"])
        #expect(try backends.count("loads", loads("success", "5xx")) == 1)
        #expect(try backends.count("loads", loads("failure", "2xx")) == 1)
        session.invalidateAndCancel()
      }
    }

    @Test func eachRequestOfATaskHasTheContextOfItsSpanAndTheCallersTrace() async throws {
      let backends = Backends()
      try await Wire.plain.serve { server, configuration async throws in
        backends.configure(configuration)
        let session = URLSession(configuration: configuration)
        server.enqueue(.redirect(to: "/to"), .text("done"), .text("done"))
        try await backends.tracer.withSpan("caller") { _ in _ = try await session.data(from: server.url("/from")) }
        let spans = backends.tracer.finishedSpans
        let (own, caller) = (try #require(spans.first), try #require(spans.last))
        #expect(caller.operationName == "caller")
        #expect(own.parentSpanID == caller.spanID)
        #expect(own.traceID == caller.traceID)
        #expect(server.requests.map { $0.headers[InMemoryTracer.spanIDKey] } == [own.spanID, own.spanID])
        #expect(server.requests.map { $0.headers[InMemoryTracer.traceIDKey] } == [own.traceID, own.traceID])

        var request = URLRequest(url: server.url("/own"))
        request.setValue("mine", forHTTPHeaderField: InMemoryTracer.spanIDKey)
        _ = try await session.data(for: request)
        #expect(server.requests.last?.headers.filter { $0.name == InMemoryTracer.spanIDKey }.map(\.value) == ["mine"])
        session.invalidateAndCancel()
      }
    }

    @Test func aSessionWithoutBackendsObservesNothing() async throws {
      try await Wire.plain.serve { server, configuration async throws in
        let session = URLSession(configuration: configuration)
        #expect(session.configuration.logger == nil)
        server.enqueue(.text("done"))
        _ = try await session.data(from: server.url("/"))
        #expect(server.requests.first?.headers["traceparent"] == nil)
        session.invalidateAndCancel()
      }
    }

    @Test func responsesFromTheCacheAreNoConnections() async throws {
      let backends = Backends()
      try await Wire.plain.serve { server, configuration async throws in
        backends.configure(configuration)
        let session = URLSession(configuration: configuration)
        server.enqueue(Reply(headers: ["Cache-Control": "max-age=1000"], body: .text("kept")))
        for _ in 1...2 { _ = try await session.data(from: server.url("/")) }
        #expect(server.requestCount == 1)
        #expect(try backends.count("cache.hits") == 1)
        #expect(try backends.count("loads", loads("success", "2xx")) == 2)
        #expect(try backends.count("connections.opened", [("network.protocol.version", "1.1")]) == 1)
        session.invalidateAndCancel()
      }
    }

    @Test func queriesAreShownWhereTheConfigurationSaysSo() async throws {
      let backends = Backends()
      try await Wire.plain.serve { server, configuration async throws in
        backends.configure(configuration)
        configuration.showsQueriesOfObservedURLs = true
        let session = URLSession(configuration: configuration)
        server.enqueue(.text("done"))
        _ = try await session.data(from: server.url("/?page=2&sig=hidden"))
        let shown = server.url("/?page=2&sig=REDACTED").absoluteString
        #expect(backends.log.entries.first?.metadata["url.full"] == "\(shown)")
        #expect(backends.tracer.finishedSpans.first?.attributes["url.full"]?.toSpanAttribute() == .string(shown))
        #expect(!backends.text.contains("hidden"))
        session.invalidateAndCancel()
      }
    }
  }
#endif
