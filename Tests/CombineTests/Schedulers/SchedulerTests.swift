#if Combine
  import Combine
  import Dispatch
  import Foundation
  import Testing

  @Suite(.timeLimit(.minutes(10))) struct SchedulerTests {
    @Test func receiveOnADispatchQueueRunsThere() async throws {
      let key = DispatchSpecificKey<Int>()
      let queue = DispatchQueue(label: "test")
      queue.setSpecific(key: key, value: 7)
      let recorder = (1...3).publisher.receive(on: queue).map { _ in DispatchQueue.getSpecific(key: key) ?? 0 }.record()
      try await recorder.ended()
      #expect(recorder.values == [7, 7, 7])
    }

    @Test func aConcurrentQueueKeepsTheOrderAndCallsOneByOne() async throws {
      for _ in 0..<50 {
        nonisolated(unsafe) var count = 0
        let recorder = (1...100).publisher.receive(on: DispatchQueue.global()).handleEvents(receiveOutput: { _ in count += 1 }).record()
        try await recorder.ended()
        #expect(recorder.values == Array(1...100) && count == 100)
      }
    }

    @Test func aSubscriptionOnAQueuePassesDemandAndCancellationUpstream() async throws {
      let queue = DispatchQueue(label: "test")
      let subject = PassthroughSubject<Int, Never>()
      nonisolated(unsafe) var demands: [Subscribers.Demand] = []
      nonisolated(unsafe) var cancelled = 0
      let recorder = subject.handleEvents(receiveCancel: { cancelled += 1 }, receiveRequest: { demands.append($0) })
        .receive(on: queue).record(demand: .max(1)) { _, value in value == 1 ? .max(1) : .none }
      subject.send(1)
      try await recorder.received(1)
      queue.sync {}
      subject.send(2)
      try await recorder.received(2)
      recorder.cancel()
      subject.send(3)
      queue.sync {}
      #expect(recorder.values == [1, 2] && recorder.endings == 0)
      #expect(demands == [.max(1), .max(1)] && cancelled == 1)
    }

    @Test func nothingIsPublishedOnAQueueAfterCancelling() {
      let queue = DispatchQueue(label: "test")
      queue.suspend()
      let recorder = (1...3).publisher.receive(on: queue).record()
      recorder.cancel()
      queue.resume()
      queue.sync {}
      #expect(recorder.values.isEmpty && recorder.endings == 0)
    }

    @Test func receiveOnAnOperationQueueRunsThere() async throws {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      queue.name = "test"
      let recorder = (1...3).publisher.receive(on: queue).map { _ in OperationQueue.current?.name ?? "" }.record()
      try await recorder.ended()
      #expect(recorder.values == ["test", "test", "test"])
    }

    @Test func receiveOnARunLoopRunsOnItsThread() async throws {
      let thread = RunLoopThread()
      defer { thread.stop() }
      let runLoop = try await thread.runLoop
      let recorder = (1...3).publisher.receive(on: runLoop).map { _ in RunLoop.current === runLoop }.record()
      try await recorder.ended()
      #expect(recorder.values == [true, true, true])
    }

    @Test func delayedValuesComeLater() async throws {
      let start = Date()
      let queue = DispatchQueue(label: "test")
      let operations = OperationQueue()
      operations.maxConcurrentOperationCount = 1
      let thread = RunLoopThread()
      defer { thread.stop() }
      let delayed = [
        Just(1).delay(for: .milliseconds(2), scheduler: queue).eraseToAnyPublisher(),
        Just(2).delay(for: .milliseconds(2), scheduler: operations).eraseToAnyPublisher(),
        Just(3).delay(for: .milliseconds(2), scheduler: try await thread.runLoop).eraseToAnyPublisher(),
      ]
      for publisher in delayed {
        let recorder = publisher.record()
        try await recorder.ended()
        #expect(recorder.values.count == 1)
      }
      #expect(Date() > start)
    }

    /// Their timers fire in any order.
    @Test func operationsThatAreDueTogetherComeInOrder() async throws {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      let subject = PassthroughSubject<Int, Never>()
      let recorder = subject.record()
      let date = queue.now.advanced(by: .milliseconds(1))
      for number in 0..<1000 { queue.schedule(after: date) { subject.send(number) } }
      try await recorder.received(1000)
      #expect(recorder.values == Array(0..<1000))
    }

    @Test func repeatedActionsStopWhenCancelled() async throws {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = subject.record()
      let (queue, operations) = (DispatchQueue(label: "test"), OperationQueue())
      operations.maxConcurrentOperationCount = 1
      let thread = RunLoopThread()
      defer { thread.stop() }
      let runLoop = try await thread.runLoop
      let handles = [
        queue.schedule(after: queue.now, interval: .microseconds(50)) { subject.send(1) },
        operations.schedule(after: operations.now, interval: .microseconds(50)) { subject.send(2) },
        runLoop.schedule(after: runLoop.now, interval: .microseconds(50)) { subject.send(3) },
      ]
      for number in 1...3 {
        var count = 0
        while recorder.values.filter({ $0 == number }).count < 3, count < 100_000 {
          count += 1
          try await recorder.received(recorder.values.count + 1)
        }
      }
      for handle in handles { handle.cancel() }
      #expect(Set(recorder.values) == [1, 2, 3])
    }

    @Test func dispatchStridesCountNanosecondsAndKeepWithinBounds() {
      typealias Stride = DispatchQueue.SchedulerTimeType.Stride
      #expect(Stride.seconds(2) == .milliseconds(2000) && Stride.milliseconds(3) == .microseconds(3000))
      #expect(Stride.seconds(0.5).magnitude == 500_000_000)
      #expect((1 as Stride) == .seconds(1) && (0.25 as Stride) == .milliseconds(250))
      #expect(Stride.seconds(Int.max).magnitude == .max && Stride.seconds(Int.min).magnitude == .min)
      #expect(
        Stride.seconds(1e300).magnitude == .max && Stride.seconds(-.infinity).magnitude == .min && Stride.seconds(.nan).magnitude == 0)
      #expect((Stride.nanoseconds(.max) + 1).magnitude == .max && (Stride.nanoseconds(.min) - 1).magnitude == .min)
      #expect(Stride.nanoseconds(3) * .nanoseconds(4) == .nanoseconds(12))
      #expect(Stride(.never).magnitude == .max && Stride(.milliseconds(5)) == .milliseconds(5))
      #expect(Stride(exactly: 3) == .seconds(3) && Stride(exactly: UInt64.max) == nil)
    }

    @Test func dispatchTimesAreStrided() throws {
      typealias Time = DispatchQueue.SchedulerTimeType
      let time = Time(DispatchTime(uptimeNanoseconds: 1_000_000_000_000))
      let later = time.advanced(by: .seconds(3))
      #expect(time < later && time.distance(to: later) == .seconds(3) && later.distance(to: time) == .seconds(-3))
      #expect(time.advanced(by: .nanoseconds(.max)).dispatchTime == .distantFuture)
      #expect(Set([time, later, time]).count == 2)
      let coded = try JSONEncoder().encode([time])
      #expect(try JSONDecoder().decode([Time].self, from: coded) == [time])
    }

    @Test func datesAreStridedInSeconds() throws {
      let time = RunLoop.SchedulerTimeType(Date(timeIntervalSinceReferenceDate: 100))
      let later = time.advanced(by: .milliseconds(1500))
      #expect(later.date == Date(timeIntervalSinceReferenceDate: 101.5))
      #expect(time.distance(to: later) == 1.5 && time < later)
      typealias Stride = OperationQueue.SchedulerTimeType.Stride
      #expect(Stride.seconds(2) - 1 == 1 && Stride.seconds(2) * 3 == 6 && Stride(exactly: 4) == 4 && -Stride.seconds(1) == Stride(-1))
      #expect(Stride.microseconds(5) == Stride.nanoseconds(5000))
      let coded = try JSONEncoder().encode([time])
      #expect(try JSONDecoder().decode([RunLoop.SchedulerTimeType].self, from: coded) == [time])
    }
  }
#endif
