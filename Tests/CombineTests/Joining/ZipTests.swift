#if Combine
  import Combine
  import Foundation
  import Testing
  import URLLoadingTestKit

  @Suite(.timeLimit(.minutes(10))) struct ZipTests {
    /// The case in which OpenCombine's own `zip` stops the process: values and ends come from other threads, one after another.
    @Test func threeLoadsAreZipped() async throws {
      try await withServer { server, session in
        let sessions = (0..<3).map { _ in URLSession(configuration: .testing()) }
        for round in 0..<50 {
          let lengths = sessions.enumerated().map { index, session in
            session.dataTaskPublisher(for: server.url("/bytes/\(round + index)")).map(\.data.count)
          }
          let recorder = lengths[0].zip(lengths[1], lengths[2]).map { [$0, $1, $2] }.record()
          try await recorder.ended()
          #expect(recorder.values == [[round, round + 1, round + 2]])
          #expect(recorder.hasFinished)
        }
        for session in sessions { session.invalidateAndCancel() }
      }
    }

    @Test func theZipIsThisModules() {
      let (one, two) = (Just(1), [2].publisher)
      #expect(String(reflecting: type(of: one.zip(two))).hasPrefix("Combine."))
      #expect(String(reflecting: type(of: one.zip(two, two))).hasPrefix("Combine."))
      #expect(String(reflecting: type(of: one.zip(two, two, two))).hasPrefix("Combine."))
      #expect(String(reflecting: Publishers.Zip3<Just<Int>, Just<Int>, Just<Int>>.self).hasPrefix("Combine."))
    }

    @Test func oldestValuesAreZippedAndItEndsWhenOneIsExhausted() {
      let recorder = [1, 2, 3].publisher.zip(["a", "b"].publisher) { "\($0)\($1)" }.record()
      #expect(recorder.values == ["1a", "2b"])
      #expect(recorder.hasFinished && recorder.endings == 1)
    }

    @Test func fourAreZipped() {
      let numbers = [1, 2].publisher
      let recorder = numbers.zip(numbers, numbers, numbers) { $0 + $1 + $2 + $3 }.record()
      #expect(recorder.values == [4, 8])
      #expect(recorder.hasFinished)
    }

    @Test func demandIsKept() {
      let recorder = (1...5).publisher.zip((11...15).publisher).map { $0 + $1 }.record(demand: .max(1))
      #expect(recorder.values == [12])
      recorder.request(.max(2))
      #expect(recorder.values == [12, 14, 16])
      recorder.request(.unlimited)
      #expect(recorder.values == [12, 14, 16, 18, 20])
      #expect(recorder.hasFinished)
    }

    @Test func aFailureEndsItAndCancelsTheOthers() {
      let (one, other) = (PassthroughSubject<Int, URLError>(), PassthroughSubject<Int, URLError>())
      nonisolated(unsafe) var cancelled = 0
      let recorder = one.zip(other.handleEvents(receiveCancel: { cancelled += 1 })).map { $0 + $1 }.record()
      other.send(1)
      one.send(completion: .failure(URLError(.timedOut)))
      one.send(completion: .failure(URLError(.cancelled)))
      other.send(completion: .failure(URLError(.cancelled)))
      #expect(recorder.failure?.code == .timedOut && recorder.endings == 1)
      #expect(recorder.values.isEmpty && cancelled == 1)
    }

    @Test func cancellingCancelsAll() {
      let (one, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      nonisolated(unsafe) var cancelled = 0
      let recorder = one.handleEvents(receiveCancel: { cancelled += 1 })
        .zip(other.handleEvents(receiveCancel: { cancelled += 1 })).map { $0 + $1 }.record()
      one.send(1)
      recorder.cancel()
      other.send(2)
      #expect(recorder.values.isEmpty && recorder.endings == 0 && cancelled == 2)
    }

    @Test func upstreamsThatSendAtOnceFromThreadsLoseNothing() async throws {
      let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
      let recorder = subjects[0].zip(subjects[1], subjects[2]).map { $0 == $1 && $1 == $2 ? $0 : -1 }.record()
      await withTaskGroup { group in
        for subject in subjects.map(Shared.init) {
          group.addTask {
            for number in 0..<2000 { subject.value.send(number) }
            subject.value.send(completion: .finished)
          }
        }
      }
      try await recorder.ended()
      #expect(recorder.values == Array(0..<2000))
      #expect(recorder.endings == 1)
    }
  }
#endif
