import Foundation
import Testing
import URLLoadingTestKit

/// `-T`.
@Suite(.timeLimit(.minutes(10))) struct UploadTests {
  private let content = ResumeTests.pattern(300_000)

  private func request(_ arguments: [String], to path: String, input: Data = Data()) async throws -> RecordedRequest {
    try await withStandardServer { server in
      server.route("/*", reply: Reply(201))
      return try await Tool.withDirectory { tool, directory in
        try content.write(to: directory.appending(path: "a b.bin"))
        let outcome = try await tool.run(list: arguments + [server.url(path).absoluteString], input: input)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try await server.waitForRequest()
      }
    }
  }

  @Test func partsMayBeOfAnotherKind() async throws {
    try await withStandardServer { server async throws in
      let url = server.url("/anything/x").absoluteString
      #expect(try await Tool().run("-F", "a=b", "-H", "Content-Type: multipart/mixed", url).status == 0)
      #expect(try await Tool().run("-F", "a=b", "-H", "Content-Type: text/plain", url).status == 0)
      let types = server.requests.map { $0.headers["Content-Type"] ?? "" }
      #expect(types[0].hasPrefix("multipart/mixed; boundary=") && types[1].hasPrefix("multipart/form-data; boundary="), "\(types)")
      for (request, type) in zip(server.requests, types) {
        let boundary = type.firstMatch(of: /boundary=(.*)/)?.1 ?? "?"
        #expect(request.text.hasPrefix("--\(boundary)\r\n"))
      }
    }
  }

  @Test func fileIsPutWithItsLength() async throws {
    let request = try await request(["-T", "a b.bin"], to: "/here")
    #expect((request.method, request.path) == ("PUT", "/here"))
    #expect(request.headers["Content-Length"] == "300000")
    #expect(request.headers["Content-Type"] != "application/x-www-form-urlencoded")
    #expect(request.body == content)
  }

  @Test func directoryGetsTheFilesName() async throws {
    #expect(try await request(["-T", "a b.bin"], to: "/dir/").path == "/dir/a%20b.bin")
  }

  @Test func eachFileGoesToItsURL() async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        for name in ["1", "2"] { try Data("file \(name)".utf8).write(to: directory.appending(path: name)) }
        server.route("/*", reply: Reply(201))
        let (one, two) = (server.url("/a").absoluteString, server.url("/b/").absoluteString)
        for arguments in [["-T", "1", one, "-T", "2", two], [one, two, "-T", "1", "-T", "2"]] {
          let first = server.requestCount
          #expect(try await tool.run(list: arguments).status == 0)
          let sent = server.requests.dropFirst(first).map { "\($0.path) \($0.text)" }
          #expect(sent == ["/a file 1", "/b/2 file 2"])
        }
        let offline = try await tool.run("--offline", "-T", "1", one, "-T", "2", two).text
        #expect(offline.contains("PUT /a ") && offline.contains("file 1") && offline.contains("PUT /b/2 ") && offline.contains("file 2"))
        // A pattern is one URL.
        let pattern = try await tool.run("-T", "1", "-T", "2", server.url("/").absoluteString + "{c,d}", two)
        #expect(pattern.status == 0, "\(pattern.errors)")
        #expect(server.requests.suffix(3).map { "\($0.path) \($0.text)" } == ["/c file 1", "/d file 1", "/b/2 file 2"])
        let count = server.requestCount
        for arguments in [["-T", "1", one, two], ["-T", "1", "-T", "2", one], ["-T", "-", "-T", "-", one, two]] {
          #expect(try await tool.run(list: arguments).status == 64)
        }
        #expect(server.requestCount == count)
        let line = try await tool.run("--curl", "-T", "1", "http://h/a", "-T", "2", "http://h/b").text
        #expect(line.contains("--upload-file 1 http://h/a --upload-file 2 http://h/b"))
      }
    }
  }

  @Test func standardInputIsSentInChunks() async throws {
    let request = try await request(["-T", "-", "-X", "POST"], to: "/here", input: content)
    #expect(request.method == "POST")
    #expect(request.headers["Content-Length"] == nil)
    #expect(request.headers["Transfer-Encoding"] == "chunked")
    #expect(request.body == content)
  }

  @Test func uploadIsTriedAgainFromItsBeginning() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        try content.write(to: directory.appending(path: "file"))
        server.enqueue(Reply(503), Reply(204))
        let outcome = try await tool.run("-T", "file", "--retry", "1", "--retry-delay", "0", server.url("/x").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(server.requests.map(\.bodyLength) == [300_000, 300_000])
      }
    }
  }

  @Test func largeFileWaitsForTheServersConsent() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        try ResumeTests.pattern(2_000_000).write(to: directory.appending(path: "file"))
        server.route("/x") { request in Reply(request.headers["Authorization"] == nil ? 403 : 201) }
        let outcome = try await tool.run("-T", "file", "--basic", "-u", "a:b", server.url("/x").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let request = try #require(server.requests.last)
        #expect(request.headers["Expect"] == "100-continue")
        #expect(request.bodyLength == 2_000_000)
        let plain = try await tool.run("-T", "file", "-H", "Expect:", "--basic", "-u", "a:b", server.url("/x").absoluteString)
        #expect(plain.status == 0, "\(plain.errors)")
        #expect(server.requests.last?.headers["Expect"] == nil)
      }
    }
  }

  @Test func missingFileFailsBeforeAnythingIsSent() async throws {
    let outcome = try await Tool().run("-T", "/nowhere/at/all", "http://127.0.0.1:1/")
    #expect(outcome.status == 26)
    #expect(outcome.errors.hasPrefix("urlload: /nowhere/at/all can't be read"))
  }

  @Test(arguments: [
    ["-T", "x", "-d", "y"], ["-T", ""], ["-C", "-"], ["-C", "x"], ["-T", "x", "-C", "5"], ["-T", "-", "-C", "-"],
    ["-T", "x", "--segments", "2"], ["--retry", "-1"],
  ])
  func optionsThatContradictAreWrongUsage(arguments: [String]) async throws {
    #expect(try await Tool().run(list: arguments + ["http://127.0.0.1:1/"]).status == 64)
  }
}
