import Foundation
import Snippets
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct ObservationSnippetTests {
  @Test func observedTaskTellsItsStatesAndItsProgress() async throws {
    try await withServer { server async throws in
      server.enqueue(Reply(body: .pattern(count: 200_000)))
      let (states, stateContinuation) = AsyncStream.makeStream(of: URLSessionTask.State.self)
      let (fractions, fractionContinuation) = AsyncStream.makeStream(of: Double.self)
      let data: Data = try await result { done in
        loadObserved(
          server.url("/file"), stateChanged: { stateContinuation.yield($0) }, progressChanged: { fractionContinuation.yield($0) },
          completion: done)
      }
      stateContinuation.finish()
      fractionContinuation.finish()
      #expect(data.count == 200_000)
      #expect(await states.reduce(into: []) { $0.append($1) } == [.suspended, .running, .completed])
      let told = await fractions.reduce(into: []) { $0.append($1) }
      #expect(told == told.sorted() && told.last == 1)
    }
  }

  @Test func changeOfTheCookiesIsANotification() async throws {
    let storage = HTTPCookieStorage()
    let cookie = try #require(HTTPCookie(properties: [.name: "a", .value: "1", .path: "/", .domain: "x.test"]))
    #expect(await nextChange(of: storage) { storage.setCookie(cookie) } == ["a"])
  }

  @Test func asyncDownloadReportsWhatIsWritten() async throws {
    try await withServer { server async throws in
      server.enqueue(Reply(body: .pattern(count: 200_000)))
      let (reports, continuation) = AsyncStream.makeStream(of: Double.self)
      let file = try await downloadReporting(server.url("/file")) { continuation.yield($0) }
      defer { try? FileManager.default.removeItem(at: file) }
      continuation.finish()
      let told = await reports.reduce(into: []) { $0.append($1) }
      #expect(told == told.sorted() && told.last == 1)
      #expect(try Data(contentsOf: file).count == 200_000)
    }
  }
}
