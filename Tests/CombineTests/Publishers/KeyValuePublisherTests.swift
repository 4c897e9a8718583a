#if Combine
  import Combine
  import Foundation
  import Testing
  import URLLoadingTestKit

  @Suite(.timeLimit(.minutes(10))) struct KeyValuePublisherTests {
    @Test func statesOfATaskArePublishedFromThePresentOneOn() async throws {
      try await withServer { server, session in
        let task = session.dataTask(with: server.url("/bytes/10"))
        let recorder = task.publisher(for: \.state).record()
        #expect(recorder.values == [.suspended])
        task.resume()
        try await recorder.received(3)
        #expect(recorder.values == [.suspended, .running, .completed])
        #expect(recorder.endings == 0)
        recorder.cancel()
      }
    }

    @Test func countsOfALoadRiseToItsLength() async throws {
      try await withServer { server, session in
        let task = session.dataTask(with: server.url("/bytes/300000"))
        let counts = task.publisher(for: \.countOfBytesReceived).record()
        let states = task.publisher(for: \.state).filter { $0 == .completed }.record()
        task.resume()
        try await states.received(1)
        #expect(counts.values == counts.values.sorted() && counts.values.last == 300_000)
        counts.cancel()
        states.cancel()
      }
    }

    @Test func withoutDemandTheLatestValueWaits() async throws {
      try await withServer { server, session in
        let task = session.dataTask(with: server.url("/bytes/10"))
        let slow = task.publisher(for: \.state).record(demand: .none)
        let fast = task.publisher(for: \.state).record()
        task.resume()
        try await fast.received(3)
        #expect(slow.values.isEmpty)
        slow.request(.max(1))
        try await slow.received(1)
        #expect(slow.values == [.completed])
      }
    }

    @Test func theFractionOfAProgressIsPublished() async throws {
      try await withServer { server, session in
        let task = session.dataTask(with: server.url("/bytes/100000"))
        let fractions = task.progress.publisher(for: \.fractionCompleted).record()
        let ended = task.publisher(for: \.state).filter { $0 == .completed }.record()
        task.resume()
        try await ended.received(1)
        #expect(fractions.values == fractions.values.sorted() && fractions.values.last == 1)
      }
    }

    @Test func cancellingEndsTheObservation() async throws {
      let leaks = LeakCheck()
      try await withServer { server, session in
        let task = session.dataTask(with: server.url("/bytes/10"))
        let recorder = task.publisher(for: \.state).record()
        leaks.track(recorder, "subscriber")
        recorder.cancel()
        let other = task.publisher(for: \.state, options: [.new]).record()
        task.resume()
        try await other.received(2)
        #expect(recorder.values == [.suspended])
        #expect(other.values == [.running, .completed])
        other.cancel()
      }
      try await leaks.verify()
    }

    @Test func changesAreToldWithoutValues() async throws {
      try await withServer { server, session in
        let task = session.dataTask(with: server.url("/bytes/10"))
        let recorder = task.publisher(for: \.state, options: []).didChange().map { 1 }.record()
        task.resume()
        try await recorder.received(2)
        #expect(recorder.values == [1, 1])
        recorder.cancel()
      }
    }
  }
#endif
