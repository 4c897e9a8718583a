#if Combine
  import Combine
  import Foundation
  import Testing
  import URLLoadingTestKit

  @Suite(.timeLimit(.minutes(10))) struct MergeTests {
    @Test func loadsAreMergedAsTheyCome() async throws {
      try await withServer { server, session in
        let gate = Gate()
        server.route("/late", reply: Reply.text("late").with(.delayBeforeHeaders(gate)))
        server.route("/early", reply: Reply.text("early"))
        let texts = ["/late", "/early"].map { path in
          session.dataTaskPublisher(for: server.url(path)).map { String(decoding: $0.data, as: UTF8.self) }
        }
        let recorder = texts[0].merge(with: texts[1]).record()
        try await recorder.received(1)
        gate.open()
        try await recorder.ended()
        #expect(recorder.values == ["early", "late"])
        #expect(recorder.hasFinished && recorder.endings == 1)
      }
    }

    @Test func manyLoadsAreMerged() async throws {
      try await withServer { server, session in
        let loads = (1...30).map { session.dataTaskPublisher(for: server.url("/bytes/\($0)")).map(\.data.count) }
        let recorder = Publishers.MergeMany(loads).record()
        try await recorder.ended()
        #expect(recorder.values.sorted() == Array(1...30))
      }
    }

    @Test func upToEightAreMerged() {
      let one = Just(1).setFailureType(to: URLError.self)
      let two = [2].publisher.setFailureType(to: URLError.self)
      let eight = one.merge(with: two, one, two, one, two, one, two).record()
      #expect(eight.values == [1, 2, 1, 2, 1, 2, 1, 2])
      let four = one.merge(with: two).merge(with: one).merge(with: two)
      #expect(String(describing: type(of: four)).hasPrefix("Merge4<"))
      #expect(four.record().values == [1, 2, 1, 2])
      #expect(four == four)
    }

    @Test func nothingMergedEndsAtOnce() {
      let recorder = Publishers.MergeMany<Just<Int>>([]).record()
      #expect(recorder.hasFinished && recorder.values.isEmpty)
    }

    @Test func withoutUnlimitedDemandOneValueOfEachWaits() {
      let subjects = (0..<2).map { _ in PassthroughSubject<Int, Never>() }
      nonisolated(unsafe) var demands: [Subscribers.Demand] = []
      let counted = subjects.map { $0.handleEvents(receiveRequest: { demands.append($0) }) }
      let recorder = counted[0].merge(with: counted[1]).record(demand: .max(1))
      #expect(demands == [.max(1), .max(1)])
      subjects[0].send(1)
      #expect(recorder.values == [1])
      #expect(demands == [.max(1), .max(1), .max(1)])
      subjects[0].send(2)
      subjects[1].send(3)
      #expect(recorder.values == [1])
      recorder.request(.max(2))
      #expect(recorder.values == [1, 2, 3])
      #expect(demands.count == 5)
      recorder.request(.unlimited)
      #expect(demands.suffix(2) == [.unlimited, .unlimited])
    }

    @Test func aSequenceIsMergedWholeWithAnyDemand() {
      let recorder = (1...100).publisher.merge(with: (101...200).publisher).record(demand: .max(1)) { _, _ in .max(1) }
      #expect(recorder.values.sorted() == Array(1...200))
      #expect(recorder.hasFinished)
    }

    @Test func aFailureEndsItOnce() {
      let (one, other) = (PassthroughSubject<Int, URLError>(), PassthroughSubject<Int, URLError>())
      let recorder = one.merge(with: other).record()
      one.send(1)
      other.send(completion: .failure(URLError(.timedOut)))
      one.send(2)
      one.send(completion: .finished)
      #expect(recorder.values == [1] && recorder.failure?.code == .timedOut && recorder.endings == 1)
    }

    @Test func aSubscriberMayCancelWhileItReceives() {
      let recorder = (1...10).publisher.merge(with: (1...10).publisher).record { recorder, value in
        if value == 3 { recorder.cancel() }
        return .none
      }
      #expect(recorder.values == [1, 2, 3] && recorder.endings == 0)
    }

    @Test func threadsCallTheSubscriberOneByOne() async throws {
      let subjects = (0..<8).map { _ in PassthroughSubject<Int, Never>() }
      nonisolated(unsafe) var count = 0
      let recorder = Publishers.MergeMany(subjects).handleEvents(receiveOutput: { _ in count += 1 }).record()
      await withTaskGroup { group in
        for subject in subjects.map(Shared.init) {
          group.addTask {
            for number in 0..<1000 { subject.value.send(number) }
            subject.value.send(completion: .finished)
          }
        }
      }
      try await recorder.ended()
      #expect(count == 8000 && recorder.values.count == 8000 && recorder.endings == 1)
    }
  }
#endif
