#if Combine
  import Combine
  import Foundation
  import Testing
  import URLLoadingTestKit

  @Suite(.timeLimit(.minutes(10))) struct DataTaskPublisherTests {
    @Test func publishesDataAndResponseOnceAndFinishes() async throws {
      try await withServer { server, session in
        let recorder = session.dataTaskPublisher(for: server.url("/bytes/321")).record()
        try await recorder.ended()
        #expect(recorder.values.map(\.data.count) == [321])
        #expect((recorder.values.first?.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(recorder.hasFinished && recorder.endings == 1)
        #expect(recorder.subscriptions == ["DataTaskPublisher"])
      }
    }

    @Test func nothingIsLoadedBeforeTheFirstDemand() async throws {
      try await withServer { server, session in
        let recorder = session.dataTaskPublisher(for: server.url("/bytes/1")).record(demand: .none)
        _ = try await session.data(from: server.url("/get"))
        #expect(server.requests.map(\.path) == ["/get"])
        #expect(await session.allTasks.isEmpty)
        recorder.request(.max(1))
        try await recorder.ended()
        #expect(server.requests.map(\.path) == ["/get", "/bytes/1"])
        #expect(recorder.values.count == 1)
      }
    }

    @Test func aDemandOfNothingIsIgnored() async throws {
      try await withServer { server, session in
        let recorder = session.dataTaskPublisher(for: server.url("/bytes/1")).record(demand: .none)
        recorder.request(.none)
        #expect(await session.allTasks.isEmpty)
        #expect(recorder.values.isEmpty && recorder.endings == 0)
      }
    }

    @Test func furtherDemandDoesNotLoadAgain() async throws {
      try await withServer { server, session in
        let gate = Gate()
        server.route("/held", reply: Reply.text("held").with(.delayBeforeHeaders(gate)))
        let recorder = session.dataTaskPublisher(for: server.url("/held")).record(demand: .max(1))
        recorder.request(.max(2))
        recorder.request(.unlimited)
        gate.open()
        try await recorder.ended()
        recorder.request(.max(1))
        #expect(recorder.values.count == 1 && recorder.endings == 1)
        #expect(server.requestCount == 1)
      }
    }

    @Test func eachSubscriptionIsATask() async throws {
      try await withServer { server, session in
        let publisher = session.dataTaskPublisher(for: server.url("/bytes/5"))
        let recorders = (0..<3).map { _ in publisher.record() }
        for recorder in recorders {
          try await recorder.ended()
          #expect(recorder.values.map(\.data.count) == [5])
        }
        #expect(server.requestCount == 3)
      }
    }

    @Test func theRequestIsLoadedAsItIs() async throws {
      try await withServer { server, session in
        var request = URLRequest(url: server.url("/post"))
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        request.setValue("value", forHTTPHeaderField: "X-Name")
        try await session.dataTaskPublisher(for: request).record().ended()
        let received = try await server.waitForRequest()
        #expect(received.method == "POST")
        #expect(received.headers["X-Name"] == "value")
        #expect(received.body == Data("body".utf8))
      }
    }

    @Test func aCancelledSubscriptionThatDemandedNothingLoadsNothing() async throws {
      try await withServer { server, session in
        let recorder = session.dataTaskPublisher(for: server.url("/bytes/1")).record(demand: .none)
        recorder.cancel()
        recorder.request(.unlimited)
        #expect(await session.allTasks.isEmpty)
        #expect(recorder.values.isEmpty && recorder.endings == 0)
      }
    }

    @Test func cancellingCancelsTheTaskAndPublishesNothing() async throws {
      try await withServer { server, session in
        let gate = Gate()
        server.route("/held", reply: Reply.text("held").with(.delayBeforeHeaders(gate)))
        let recorder = session.dataTaskPublisher(for: server.url("/held")).record()
        try await gate.reached()
        recorder.cancel()
        try await server.waitForExchanges(open: 0)
        // Through the same queue as the cancelled task's end, which therefore has been told.
        _ = try await session.data(from: server.url("/get"))
        await session.flushCallbacks()
        #expect(recorder.values.isEmpty && recorder.endings == 0)
      }
    }

    @Test func cancellingAfterTheEndChangesNothing() async throws {
      try await withServer { server, session in
        let recorder = session.dataTaskPublisher(for: server.url("/bytes/1")).record()
        try await recorder.ended()
        recorder.cancel()
        recorder.cancel()
        #expect(recorder.values.count == 1 && recorder.endings == 1)
      }
    }

    @Test func cancellingWhileTheValueIsReceivedKeepsTheEndBack() async throws {
      try await withServer { server, session in
        let recorder = session.dataTaskPublisher(for: server.url("/bytes/1")).record { recorder, _ in
          recorder.cancel()
          return .none
        }
        try await recorder.received(1)
        await session.flushCallbacks()
        #expect(recorder.endings == 0)
      }
    }

    @Test func releasingTheHandleOfASinkCancelsItsTask() async throws {
      try await withServer { server, session in
        let gate = Gate()
        server.route("/held", reply: Reply.text("held").with(.delayBeforeHeaders(gate)))
        var handle: AnyCancellable? = session.dataTaskPublisher(for: server.url("/held"))
          .sink(receiveCompletion: { _ in Issue.record("ended") }, receiveValue: { _ in Issue.record("a value") })
        try await gate.reached()
        #expect(handle != nil)
        handle = nil
        try await server.waitForExchanges(open: 0)
        await session.flushCallbacks()
      }
    }

    @Test func anErrorIsAURLError() async throws {
      try await withServer { server, session in
        server.route("/broken", reply: Reply.text("broken").with(.disconnectAfterHeaders))
        let url = server.url("/broken")
        let recorder = session.dataTaskPublisher(for: url).record()
        try await recorder.ended()
        #expect(recorder.failure?.code == .networkConnectionLost)
        #expect(recorder.failure?.failingURL == url)
        #expect(recorder.values.isEmpty && recorder.endings == 1)
      }
    }

    @Test func anHTTPStatusIsAValue() async throws {
      try await withServer { server, session in
        let recorder = session.dataTaskPublisher(for: server.url("/status/503")).record()
        try await recorder.ended()
        #expect(recorder.values.map { ($0.response as? HTTPURLResponse)?.statusCode } == [503])
        #expect(recorder.hasFinished)
      }
    }

    @Test func aTimeoutFails() async throws {
      try await withServer { server, _ in
        let clock = ManualClock()
        let session = URLSession(configuration: .testing(clock: clock))
        defer { session.invalidateAndCancel() }
        let gate = Gate()
        server.route("/held", reply: Reply.text("held").with(.delayBeforeHeaders(gate)))
        let recorder = session.dataTaskPublisher(for: server.url("/held")).record()
        try await gate.reached()
        try await clock.waitForWake(within: 60)
        clock.advance(by: 61)
        try await recorder.ended()
        #expect(recorder.failure?.code == .timedOut)
        gate.open()
      }
    }

    @Test func anInvalidatedSessionFails() async throws {
      try await withServer { server, _ in
        let session = URLSession(configuration: .testing())
        session.invalidateAndCancel()
        let recorder = session.dataTaskPublisher(for: server.url("/get")).record()
        try await recorder.ended()
        #expect(recorder.failure != nil && recorder.values.isEmpty)
      }
    }

    @Test func aFailedSubscriptionCanBeRepeated() async throws {
      try await withServer { server, session in
        server.enqueue(Reply.text("broken").with(.disconnectAfterHeaders))
        server.enqueue(.text("whole"))
        let publisher = session.dataTaskPublisher(for: server.url("/twice"))
        let first = publisher.record()
        try await first.ended()
        let second = publisher.record()
        try await second.ended()
        #expect(first.failure != nil)
        #expect(second.values.map(\.data) == [Data("whole".utf8)])
      }
    }
  }
#endif
