import Foundation
import Testing
import URLLoadingTestKit

@testable import urlload

@Suite(.timeLimit(.minutes(10))) struct RetryScheduleTests {
  private let broken = ToolFailure(.connectionLost, "", .passing())

  @Test func delaysDoubleUpToTenMinutes() {
    let retry = RetrySchedule(count: 20)
    #expect((1...4).map { retry.delay(after: broken, tries: $0, elapsed: 0) } == [1, 2, 4, 8])
    #expect(retry.delay(after: broken, tries: 20, elapsed: 0) == 600)
    #expect(retry.delay(after: broken, tries: 21, elapsed: 0) == nil)
  }

  @Test func serverMayAskForALongerDelay() {
    let retry = RetrySchedule(count: 2, delay: 3)
    #expect(retry.delay(after: ToolFailure(.httpFailure, "", .passing(retryAfter: 10)), tries: 1, elapsed: 0) == 10)
    #expect(retry.delay(after: ToolFailure(.httpFailure, "", .passing(retryAfter: 1)), tries: 1, elapsed: 0) == 3)
  }

  @Test func noTryBeginsAfterTheLimit() {
    let retry = RetrySchedule(count: 9, delay: 3, limit: 10)
    #expect(retry.delay(after: broken, tries: 1, elapsed: 7) == 3)
    #expect(retry.delay(after: broken, tries: 1, elapsed: 7.5) == nil)
  }

  @Test func lastingFailuresAreNotTriedAgain() {
    #expect(RetrySchedule(count: 9).delay(after: ToolFailure(.writeFailed, ""), tries: 1, elapsed: 0) == nil)
  }

  @Test(arguments: [408, 429, 500, 503]) func passingStatusIsTriedAgain(status: Int) async throws {
    try await withStandardServer { server in
      server.enqueue(Reply(status, headers: ["Retry-After": "0"]), Reply(status))
      let outcome = try await Tool().run("--retry", "2", "--retry-delay", "0", server.url("/bytes/3").absoluteString)
      #expect((outcome.status, outcome.text) == (0, "abc"), "\(outcome.errors)")
      #expect(server.requestCount == 3)
      #expect(outcome.errors.contains("trying again"))
    }
  }

  @Test func triesEndWithTheLastAnswer() async throws {
    try await withStandardServer { server in
      server.route("/busy", reply: .text("busy", status: 503))
      let page = try await Tool().run("--retry", "1", "--retry-delay", "0", server.url("/busy").absoluteString)
      #expect((page.status, page.text) == (0, "busy"))
      #expect(server.requestCount == 2)
      let failed = try await Tool().run("-f", "--retry", "1", "--retry-delay", "0", server.url("/busy").absoluteString)
      #expect((failed.status, failed.text) == (22, ""))
      #expect(server.requestCount == 4)
      let lasting = try await Tool().run("-f", "--retry", "5", "--retry-delay", "0", server.url("/status/404").absoluteString)
      #expect(lasting.status == 22)
      #expect(server.requestCount == 5)
    }
  }

  /// The time is over before another try could begin.
  @Test func lastAnswerInTheTimeIsTheResult() async throws {
    try await withStandardServer { server in
      server.route("/busy", reply: .text("busy", status: 503))
      let limits = ["--retry", "9", "--retry-delay", "50", "--retry-max-time", "2"]
      let page = try await Tool().run(list: limits + [server.url("/busy").absoluteString])
      #expect((page.status, page.text) == (0, "busy"), "\(page.errors)")
      let failed = try await Tool().run(list: limits + ["--fail-with-body", server.url("/busy").absoluteString])
      #expect((failed.status, failed.text) == (22, "busy"))
      #expect(server.requestCount == 2)
    }
  }

  @Test func attemptsAreToldWithV() async throws {
    try await withStandardServer { server in
      server.enqueue(Reply(503), Reply(503))
      let outcome = try await Tool().run("-v", "--retry", "3", "--retry-delay", "0", server.url("/bytes/3").absoluteString)
      #expect(outcome.status == 0)
      #expect(outcome.errors.contains("* attempt 2 of 4\n") && outcome.errors.contains("* attempt 3 of 4\n"))
      #expect(!outcome.errors.contains("attempt 4"))
    }
  }

  @Test(arguments: ["--fail", "--fail-with-body"]) func failureIsTheLastAttempts(_ option: String) async throws {
    try await withStandardServer { server in
      server.route("/busy", reply: .text("busy", status: 503))
      let outcome = try await Tool().run(option, "--retry", "2", "--retry-delay", "0", server.url("/busy").absoluteString)
      #expect((outcome.status, outcome.text) == (22, option == "--fail" ? "" : "busy"))
      #expect(server.requestCount == 3)
    }
  }

  @Test(arguments: ["--fail", "--fail-with-body"]) func failuresOfAllKindsAreTriedAgainWhereThatIsWanted(_ option: String) async throws {
    try await withStandardServer { server in
      server.enqueue(.text("missing", status: 404), .text("missing", status: 404))
      let limits = [option, "--retry", "5", "--retry-delay", "0", "--retry-all-errors"]
      let outcome = try await Tool().run(list: limits + [server.url("/bytes/3").absoluteString])
      #expect((outcome.status, outcome.text) == (0, "abc"), "\(outcome.errors)")
      #expect(server.requestCount == 3)
      server.route("/gone", reply: .text("gone", status: 404))
      let again = [option, "--retry", "1", "--retry-delay", "0", "--retry-all-errors"]
      let last = try await Tool().run(list: again + [server.url("/gone").absoluteString])
      #expect((last.status, last.text) == (22, option == "--fail" ? "" : "gone"))
      #expect(server.requestCount == 5)
    }
  }

  /// Nothing is missing of what is there.
  @Test func rangesBehindTheEndAreNoFailure() async throws {
    try await withStandardServer { server in
      let reply = Reply(416, headers: ["Content-Range": "bytes */3"])
      server.enqueue(reply, reply)
      try await Tool.withDirectory { tool, directory in
        try Data("abc".utf8).write(to: directory.appending(path: "out"))
        let limits = ["--fail-with-body", "--retry", "5", "--retry-delay", "0", "--retry-all-errors", "-C", "3", "-o", "out"]
        let outcome = try await tool.run(list: limits + [server.url("/x").absoluteString])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(server.requestCount == 1)
      }
    }
  }

  @Test func passingErrorsAreAPolicysAndALackOfNetworks() {
    func isPassing(_ code: URLError.Code) -> Bool { ToolFailure(URLError(code)).transience == .passing() }
    #expect([.timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet].allSatisfy(isPassing))
    #expect(![.badURL, .cancelled, .serverCertificateUntrusted, .badServerResponse].contains(where: isPassing))
  }

  @Test(arguments: [[], ["-o", "out"]]) func brokenTransferIsGoneOnWith(target: [String]) async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let tag = "\"range-200000\""
        for _ in 0..<2 {
          server.enqueue(
            Reply(headers: ["ETag": "\"range-200000\""], body: .pattern(count: 200_000), faults: [.disconnectAfterBodyBytes(70_000)]))
        }
        let outcome = try await tool.run(
          list: target + ["--retry", "3", "--retry-delay", "0", server.url("/range/200000").absoluteString])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let body = target.isEmpty ? outcome.output : try Data(contentsOf: directory.appending(path: "out"))
        #expect(body == ResumeTests.pattern(200_000))
        #expect(server.requests.last?.headers["If-Range"] == tag)
      }
    }
  }

  @Test func brokenTransferWithoutAValidatorBeginsAnew() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        server.enqueue(Reply(body: .repeating(9, count: 5000), faults: [.disconnectAfterBodyBytes(3000)]))
        let outcome = try await tool.run("--retry", "1", "--retry-delay", "0", "-o", "out", server.url("/bytes/5000").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(server.requests.last?.headers["Range"] == nil)
        #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(5000))
      }
    }
  }

  @Test func whatHasLeftIsNotRepeated() async throws {
    try await withStandardServer { server in
      server.enqueue(Reply(body: .pattern(count: 5000), faults: [.disconnectAfterBodyBytes(3000)]))
      let outcome = try await Tool().run("--retry", "1", "--retry-delay", "0", server.url("/bytes/5000").absoluteString)
      #expect(outcome.status == 18)
      #expect(outcome.errors.contains("standard output"))
      #expect(server.requestCount == 1)
    }
  }

  @Test func postIsSentOnceUnlessTriesAreWanted() async throws {
    try await withStandardServer { server async throws in
      server.route("/order", reply: Reply(body: .text(""), faults: [.disconnectBeforeHeaders]))
      let url = server.url("/order").absoluteString
      #expect(try await Tool().run("-s", "-d", "tea", url).status == 18)
      #expect(server.requestCount == 1)
      #expect(try await Tool().run("-s", "-d", "tea", "--retry", "1", "--retry-delay", "0", url).status == 18)
      #expect(server.requestCount == 3)
    }
  }
}
