import Foundation
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct SendingTests {
  /// The request that reached the server.
  private func request(_ arguments: String..., input: Data = Data(), files: [String: Data] = [:]) async throws -> RecordedRequest {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        for (name, content) in files { try content.write(to: directory.appending(path: name)) }
        let outcome = try await tool.run(list: arguments + [server.url("/anything/x").absoluteString], input: input)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try await server.waitForRequest()
      }
    }
  }

  @Test func givenTransferEncodingIsTold() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run(
        "-s", "-S", "-H", "Transfer-Encoding: chunked", "-d", "a", server.url("/anything/x").absoluteString)
      #expect(outcome.status == 0 && outcome.errors.contains("Transfer-Encoding"), "\(outcome.errors)")
      #expect(server.requests.last?.text == "a" && server.requests.last?.headers["Transfer-Encoding"] == nil)
    }
  }

  @Test func repeatedDataIsJoinedAndPosted() async throws {
    let request = try await request("-d", "a=1", "-db=2")
    #expect(request.method == "POST")
    #expect(request.text == "a=1&b=2")
    #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
  }

  @Test func dataFromFileLosesItsLineEnds() async throws {
    let request = try await request("-d", "@form", files: ["form": Data("a=1\r\nb=2\n".utf8)])
    #expect(request.text == "a=1b=2")
  }

  @Test func binaryDataFromFileIsSentAsItIsWithItsLength() async throws {
    let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let request = try await request("--data-binary", "@blob", files: ["blob": content])
    #expect(request.body == content)
    #expect(request.headers["Content-Length"] == "300000")
  }

  @Test func standardInputIsSent() async throws {
    let asItIs = try await request("--data-binary", "@-", input: Data("typed\n".utf8))
    #expect(asItIs.text == "typed\n")
    let asForm = try await request("-d", "@-", input: Data("typed\n".utf8))
    #expect(asForm.text == "typed")
  }

  @Test func jsonSetsItsFieldsUnlessTheyAreGiven() async throws {
    let plain = try await request("--json", "{\"a\":1}")
    #expect(plain.method == "POST")
    #expect(plain.text == "{\"a\":1}")
    #expect(plain.headers["Content-Type"] == "application/json")
    #expect(plain.headers["Accept"] == "application/json")
    let given = try await request("--json", "1", "-H", "Content-Type: text/json", "-X", "PUT")
    #expect(given.method == "PUT")
    #expect(given.headers["Content-Type"] == "text/json")
  }

  @Test func fieldsAreAddedEmptiedAndTakenBack() async throws {
    let request = try await request(
      "-A", "agent/1", "-H", "X-One: 1", "-H", "X-One: 2", "-H", "X-Empty;", "-H", "X-Gone: 1", "-H", "X-Gone:")
    #expect(request.headers["User-Agent"] == "agent/1")
    #expect(request.headers["X-One"] == "1,2")
    #expect(request.headers["X-Empty"] == "")
    #expect(request.headers["X-Gone"] == nil)
  }

  @Test func endsOfLinesAroundAValueAreCutOff() async throws {
    let request = try await request(
      "-H", "Authorization: Bearer tok\r", "-H", "X-One: 1 \r\n", "-b", "a=1\r\n", "-e", "http://r.example/\r", "-A", "agent\n")
    #expect(request.headers["Authorization"] == "Bearer tok")
    #expect(request.headers["X-One"] == "1")
    #expect(request.headers["Cookie"] == "a=1")
    #expect(request.headers["Referer"] == "http://r.example/")
    #expect(request.headers["User-Agent"] == "agent")
  }

  @Test(arguments: [
    (["-H", "X-One: a\rb"], "X-One"), (["-H", "X-One: a\r\nX-Two: b"], "X-One"), (["-b", "a=1\n2"], "Cookie"),
    (["-A", "a\r\nb"], "User-Agent"),
    (["-e", "a\nb"], "Referer"), (["--oauth2-bearer", "a\rb"], "Authorization"),
  ]) func valuesOfSeveralLinesAreWrongUsage(arguments: [String], field: String) async throws {
    let outcome = try await Tool().run(list: arguments + ["http://127.0.0.1:1/"])
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(field), "\(outcome.errors)")
  }

  @Test func fieldsComeFromAFile() async throws {
    let request = try await request("-H", "@fields", "-H", "X-Two: 3", files: ["fields": Data("# c\nX-One: 1\r\n\nX-Two: 2\n".utf8)])
    #expect(request.headers["X-One"] == "1")
    #expect(request.headers["X-Two"] == "2,3")
    let missing = try await Tool().run("-H", "@/nowhere/at/all", "http://127.0.0.1:1/")
    #expect(missing.status == 64)
    #expect(missing.errors.contains("/nowhere/at/all"))
  }

  @Test func fileIsSentAgainAfterARedirectThatKeepsTheMethod() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        try Data("again".utf8).write(to: directory.appending(path: "blob"))
        let outcome = try await tool.run("--data-binary", "@blob", server.url("/redirect-to?url=/post&status=307").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(server.requests.last?.path == "/post")
        #expect(server.requests.last?.text == "again")
      }
    }
  }

  @Test func unreadableDataFailsBeforeAnythingIsSent() async throws {
    let outcome = try await Tool().run("-d", "@/nowhere/at/all", "http://127.0.0.1:1/")
    #expect(outcome.status == 26)
    #expect(outcome.errors.hasPrefix("urlload: /nowhere/at/all can't be read"))
  }
}
