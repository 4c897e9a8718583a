#if Combine
  import AsyncAlgorithms
  import Foundation
  import Testing
  import URLLoadingTestKit

  /// The documentation's forms for those who don't want Combine.
  @Suite(.timeLimit(.minutes(10))) struct AsyncSequenceTests {
    @Test func loadsAreMadeFourAtATime() async throws {
      try await withServer { server, session in
        let lengths = try await withThrowingTaskGroup(of: Int.self) { group in
          var lengths: [Int] = []
          for number in 0..<9 {
            if number >= 4, let length = try await group.next() { lengths.append(length) }
            let url = server.url("/bytes/\(number)")
            group.addTask { try await session.data(from: url).0.count }
          }
          for try await length in group { lengths.append(length) }
          return lengths
        }
        #expect(lengths.sorted() == Array(0..<9))
      }
    }

    @Test func typedTextIsSearchedForWhenItRests() async throws {
      try await withServer { server, session in
        let (typed, keyboard) = AsyncStream.makeStream(of: String.self)
        for text in ["s", "sw", "swift"] { keyboard.yield(text) }
        keyboard.finish()
        var latest: Task<Int, any Error>?
        for await text in typed.debounce(for: .milliseconds(1)).removeDuplicates() {
          latest?.cancel()
          let url = server.url("/bytes/\(text.count)")
          latest = Task { try await session.data(from: url).0.count }
        }
        let found = try await latest?.value
        #expect(found == 5)
      }
    }

    @Test func notificationsAndLoadsAreMerged() async throws {
      try await withServer { server, session in
        let lengths = [3, 5].async.map { try await session.data(from: server.url("/bytes/\($0)")).0.count }
        let others = [7].async.map { try await session.data(from: server.url("/bytes/\($0)")).0.count }
        var all: [Int] = []
        for try await length in merge(lengths, others) { all.append(length) }
        #expect(all.sorted() == [3, 5, 7])
      }
    }
  }
#endif
