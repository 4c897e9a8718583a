#if Combine
  import Combine
  import Foundation
  import Testing
  import URLLoadingTestKit

  @Suite(.timeLimit(.minutes(10))) struct TimerPublisherTests {
    @Test func anAutoconnectedTimerPublishesDatesUntilCancelled() async throws {
      let thread = RunLoopThread()
      defer { thread.stop() }
      let recorder = Timer.publish(every: 0.001, on: try await thread.runLoop, in: .default).autoconnect().record()
      try await recorder.received(3)
      recorder.cancel()
      let dates = recorder.values
      #expect(dates == dates.sorted())
      #expect(recorder.endings == 0)
    }

    @Test func datesAreDroppedWithoutDemand() async throws {
      let thread = RunLoopThread()
      defer { thread.stop() }
      let timer = Timer.publish(every: 0.001, on: try await thread.runLoop, in: .default)
      let slow = timer.record(demand: .max(2))
      let fast = timer.record()
      let connection = timer.connect()
      try await fast.received(10)
      connection.cancel()
      #expect(slow.values.count == 2)
    }

    @Test func nothingIsPublishedBeforeConnecting() async throws {
      let thread = RunLoopThread()
      defer { thread.stop() }
      let runLoop = try await thread.runLoop
      let timer = Timer.publish(every: 0.001, on: runLoop, in: .default)
      let early = timer.record()
      let other = Timer.publish(every: 0.001, on: runLoop, in: .default).autoconnect().record()
      try await other.received(5)
      #expect(early.values.isEmpty)
      let connection = timer.connect()
      try await early.received(1)
      connection.cancel()
      other.cancel()
    }

    @Test func cancelledTimersAreReleased() async throws {
      let thread = RunLoopThread()
      defer { thread.stop() }
      let runLoop = try await thread.runLoop
      let leaks = LeakCheck()
      do {
        let timer = Timer.publish(every: 0.001, on: runLoop, in: .default)
        let recorder = timer.record()
        leaks.track(timer, "publisher")
        leaks.track(recorder, "subscriber")
        let connection = timer.connect()
        try await recorder.received(2)
        recorder.cancel()
        connection.cancel()
      }
      try await leaks.verify()
    }
  }
#endif
