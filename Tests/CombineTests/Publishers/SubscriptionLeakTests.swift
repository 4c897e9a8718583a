#if Combine
  import Combine
  import Foundation
  import Testing
  import URLLoadingTestKit

  @Suite(.timeLimit(.minutes(10))) struct SubscriptionLeakTests {
    /// A thousand subscriptions, of which a part is cancelled before its demand, while it loads and in `receive`, leave nothing behind.
    @Test func aThousandSubscriptionsLeaveNothing() async throws {
      let leaks = LeakCheck()
      try await withServer { server, _ in
        let configuration = URLSessionConfiguration.testing()
        configuration.httpMaximumConnectionsPerHost = 20
        let session = URLSession(configuration: configuration)
        leaks.track(session, "session")
        typealias LoadRecorder = Recorder<URLSession.DataTaskPublisher.Output, URLError>
        var random = SystemRandomNumberGenerator()
        var kept: [LoadRecorder] = []
        for number in 0..<1000 {
          let way = Int.random(in: 0..<5, using: &random)
          let recorder = LoadRecorder(demand: way == 0 ? .none : .unlimited) { recorder, _ in
            if way == 1 { recorder.cancel() }
            return .none
          }
          leaks.track(recorder, "subscriber \(number), way \(way)")
          session.dataTaskPublisher(for: server.url("/bytes/\(number)")).subscribe(recorder)
          switch way {
          case 0, 2: recorder.cancel()
          case 3: recorder.release()
          default: break
          }
          if way == 4 { kept.append(recorder) }
        }
        for recorder in kept {
          try await recorder.ended()
          #expect(recorder.values.count == 1 && recorder.endings == 1)
        }
        kept = []
        session.finishTasksAndInvalidate()
      }
      try await leaks.verify()
    }

    @Test func aChainLeavesNothing() async throws {
      let leaks = LeakCheck()
      try await withServer { server, _ in
        let session = URLSession(configuration: .testing())
        leaks.track(session, "session")
        do {
          let publisher = session.dataTaskPublisher(for: server.url("/get"))
          let recorder = publisher.retry(2).zip(publisher.map(\.data), publisher.merge(with: publisher)).map { _ in 1 }.record()
          leaks.track(recorder, "subscriber")
          try await recorder.ended()
          #expect(recorder.values == [1])
          recorder.cancel()
        }
        session.finishTasksAndInvalidate()
      }
      try await leaks.verify()
    }
  }
#endif
