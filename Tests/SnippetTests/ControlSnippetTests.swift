import Foundation
import Snippets
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct ControlSnippetTests {
  @Test func taskDelegateSeesRedirects() async throws {
    try await withServer { server async throws in
      #expect(try await redirects(from: server.url("/redirect/2")) == [server.url("/redirect/1"), server.url("/get")])
    }
  }

  @Test func refusedRedirectDeliversTheRedirectingResponse() async throws {
    try await withServer { server async throws in
      #expect(try await redirectTarget(of: server.url("/relative-redirect/1")) == server.url("/get"))
      #expect(try await redirectTarget(of: server.url("/get")) == nil)
    }
  }

  @Test func cancelledLoadsEndAsCancelled() async throws {
    try await withServer { server async throws in
      #expect(await cancelledLoadThrows(server.url("/delay/never")))
      let error = await cancelledTaskCompletes(server.url("/delay/never"))
      #expect((error as? URLError)?.code == .cancelled)
    }
  }

  @Test func progressIsReportedWhileLoading() async throws {
    try await withServer { server async throws in
      let (reports, continuation) = AsyncStream.makeStream(of: Double.self)
      let count = try await loadReportingProgress(server.url("/bytes/100000")) { continuation.yield($0) }
      continuation.finish()
      let fractions = await reports.reduce(into: []) { $0.append($1) }
      #expect(count == 100_000)
      #expect(fractions.count == 7)
      #expect(fractions.allSatisfy { (0...1).contains($0) } && fractions.last == 1)
    }
  }

  @Test func suspendedTaskContinues() async throws {
    try await withServer { server async throws in
      let (states, length) = try await suspendAndResume(server.url("/bytes/5000"))
      // A small load may be over before it is held back.
      #expect(states.first == .suspended && states.count == 2)
      #expect(length == 5_000)
    }
  }

  @Test func metricsDescribeEveryTransaction() async throws {
    try await withServer { server async throws in
      let lines = try await describeLoad(of: server.url("/redirect-to?url=/bytes/77"))
      #expect(lines.count == 3)
      #expect(lines.first?.hasPrefix("/redirect-to http/1.1") == true)
      #expect(lines.dropFirst().first?.hasSuffix("77 bytes") == true)
      #expect(lines.last == "1 redirects, took time")
    }
  }

  @Test func loadTimesOutWhenTheServerStaysSilent() async throws {
    try await withServer { server async throws in
      #expect(try await load(server.url("/bytes/9"), idleLimit: 30) == .loaded(bytes: 9))
      #expect(try await load(server.url("/delay/never"), idleLimit: 0.2) == .timedOut)
    }
  }

  @Test func busyServerIsAskedAgain() async throws {
    try await withServer { server async throws in
      server.enqueue(Reply(503), Reply(503), .text("ready"))
      let (data, attempts) = try await loadWithRetry(server.url("/busy"), firstPause: .milliseconds(1))
      #expect(String(decoding: data, as: UTF8.self) == "ready")
      #expect(attempts == 3)
    }
  }

  @Test func invalidatedSessionLetsGoOfItsDelegate() async throws {
    try await withServer { server async throws in
      #expect(try await loadOnce(server.url("/bytes/64")) == 64)
    }
  }

  @Test func bodyGoesStraightToAFile() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("snippet-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try await withServer { server async throws in
      try await load(server.url("/bytes/500000"), into: file)
      #expect(try Data(contentsOf: file).count == 500_000)
    }
  }
}
