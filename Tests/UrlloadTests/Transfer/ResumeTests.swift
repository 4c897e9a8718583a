import Foundation
import Testing
import URLLoadingTestKit

/// `-C`: resuming what is there.
@Suite(.timeLimit(.minutes(10))) struct ResumeTests {
  private static let count = 300_000

  /// The alphabet over and over, as the server's pattern has it.
  static func pattern(_ count: Int) -> Data {
    var text = Data(UInt8(ascii: "a")...UInt8(ascii: "z"))
    // Byte by byte it takes a second per megabyte in a debug build.
    while text.count < count { text.append(text) }
    return Data(text.prefix(count))
  }

  private func names(in directory: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  private func withFiles(_ body: @Sendable (TestServer, Tool, URL) async throws -> Void) async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in try await body(server, tool, directory) }
    }
  }

  /// The next request for a file is cut; those that follow are served, ranges of it too.
  private func enqueueCutFile(_ server: TestServer) -> (url: String, tag: String) {
    let tag = "\"range-\(ResumeTests.count)\""
    server.enqueue(
      Reply(
        headers: ["ETag": tag, "Accept-Ranges": "bytes"], body: .pattern(count: ResumeTests.count),
        faults: [.disconnectAfterBodyBytes(100_000)]))
    return (server.url("/range/\(ResumeTests.count)").absoluteString, tag)
  }

  @Test func cutTransferGoesOnWhereItEnded() async throws {
    try await withFiles { server, tool, directory in
      let (url, tag) = enqueueCutFile(server)
      let cut = try await tool.run("-C", "-", "-o", "out", url)
      #expect(cut.status == 18)
      #expect(try names(in: directory) == ["out.part", "out.part.json"])
      let kept = try Data(contentsOf: directory.appending(path: "out.part"))
      #expect(kept.count > 0 && kept == ResumeTests.pattern(kept.count))
      let rest = try await tool.run("-C", "-", "-o", "out", url)
      #expect(rest.status == 0, "\(rest.errors)")
      #expect(try names(in: directory) == ["out"])
      #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(ResumeTests.count))
      let request = try #require(server.requests.last)
      #expect(request.headers["Range"] == "bytes=\(kept.count)-")
      #expect(request.headers["If-Range"] == tag)
    }
  }

  /// What is known of a part holds for the user whose it is; for others it is compared.
  @Test(
    arguments: [
      (["-u", "alice:x"], true), (["-u", "bob:y"], false), (["--oauth2-bearer", "t0ken"], false), ([], false),
      (["-H", "Authorization: Basic YWxpY2U6eg=="], true),
    ] as [([String], Bool)])
  func partIsThatOfTheLogin(login: [String], isKnown: Bool) async throws {
    try await withFiles { server, tool, directory in
      let (url, tag) = enqueueCutFile(server)
      #expect(try await tool.run("-C", "-", "-u", "alice:x", "-o", "out", url).status == 18)
      let rest = try await tool.run(list: ["-C", "-", "-o", "out"] + login + [url])
      #expect(rest.status == 0, "\(rest.errors)")
      #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(ResumeTests.count))
      #expect(server.requests.last?.headers["If-Range"] == (isKnown ? tag : nil))
    }
  }

  @Test(arguments: [0, 100, 100_000, ResumeTests.count]) func partOfAFileIsContinued(_ length: Int) async throws {
    try await Tool.withDirectory { tool, directory in
      let source = directory.appending(path: "source")
      try ResumeTests.pattern(ResumeTests.count).write(to: source)
      try ResumeTests.pattern(length).write(to: directory.appending(path: "out"))
      let outcome = try await tool.run("-C", "-", "-o", "out", source.absoluteString)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(ResumeTests.count))
    }
  }

  @Test func partOfFTPIsContinued() async throws {
    let (length, whole) = (20_000, ResumeTests.pattern(ResumeTests.count))
    let begin = length - 16 * 1024
    try await TestServer.with(.raw([.send(String(decoding: whole[begin...], as: UTF8.self)), .close])) { data async throws in
      let port = try #require(data.url("/").port)
      let replies = [
        "230 welcome", "200 binary", "213 \(whole.count)", "213 20260101000000", "229 passive (|||\(port)|)", "350 there",
        "150 comes\r\n226 whole",
      ]
      var steps: [RawStep] = [.send("220 here\r\n")]
      for reply in replies { steps += [.read(until: "\r\n"), .send("\(reply)\r\n")] }
      try await TestServer.with(.raw(steps + [.readToEnd])) { server async throws in
        let address = try #require(server.url("/").port)
        try await Tool.withDirectory { tool, directory in
          try ResumeTests.pattern(length).write(to: directory.appending(path: "out"))
          let outcome = try await tool.run("-v", "-C", "-", "-o", "out", "ftp://127.0.0.1:\(address)/file")
          #expect(outcome.status == 0 && outcome.errors.contains("> REST \(begin)"), "\(outcome.errors)")
          #expect(try Data(contentsOf: directory.appending(path: "out")) == whole)
        }
      }
    }
  }

  @Test func partOfUnknownOriginIsComparedBeforeItIsContinued() async throws {
    try await withFiles { server, tool, directory in
      try ResumeTests.pattern(100_000).write(to: directory.appending(path: "out"))
      let outcome = try await tool.run("-C", "-", "-o", "out", server.url("/range/\(ResumeTests.count)").absoluteString)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(server.requests.last?.headers["Range"] == "bytes=\(100_000 - 16 * 1024)-")
      #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(ResumeTests.count))
      #expect(try names(in: directory) == ["out"])
    }
  }

  @Test func foreignPartIsRefusedAndLeftAsItIs() async throws {
    try await withFiles { server, tool, directory in
      let foreign = Data(repeating: 7, count: 50_000)
      try foreign.write(to: directory.appending(path: "out"))
      let outcome = try await tool.run("-C", "-", "-o", "out", server.url("/range/\(ResumeTests.count)").absoluteString)
      #expect(outcome.status == 33)
      #expect(outcome.errors.contains("differs"))
      #expect(outcome.errors.contains("start over"))
      #expect(try names(in: directory) == ["out"])
      #expect(try Data(contentsOf: directory.appending(path: "out")) == foreign)
    }
  }

  @Test func longerFileIsRefused() async throws {
    try await withFiles { server, tool, directory in
      try ResumeTests.pattern(5000).write(to: directory.appending(path: "out"))
      let outcome = try await tool.run("-C", "-", "-o", "out", server.url("/range/1000").absoluteString)
      #expect(outcome.status == 33, "\(outcome.errors)")
      #expect(try Data(contentsOf: directory.appending(path: "out")).count == 5000)
    }
  }

  @Test func completeFileIsFoundToBeComplete() async throws {
    try await withFiles { server, tool, directory in
      let whole = ResumeTests.pattern(ResumeTests.count)
      try whole.write(to: directory.appending(path: "out"))
      let outcome = try await tool.run("-C", "-", "-o", "out", server.url("/range/\(ResumeTests.count)").absoluteString)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try Data(contentsOf: directory.appending(path: "out")) == whole)
      // A part that is complete, of a known version: 416 says that there is no more.
      try FileManager.default.moveItem(at: directory.appending(path: "out"), to: directory.appending(path: "out.part"))
      let url = server.url("/range/\(ResumeTests.count)").absoluteString
      let record = "{\"url\":\"\(url)\",\"validator\":\"\\\"range-\(ResumeTests.count)\\\"\",\"total\":\(ResumeTests.count)}"
      try Data(record.utf8).write(to: directory.appending(path: "out.part.json"))
      let again = try await tool.run("-C", "-", "-o", "out", url)
      #expect(again.status == 0, "\(again.errors)")
      #expect(server.requests.last?.headers["Range"] == "bytes=\(ResumeTests.count)-")
      #expect(try names(in: directory) == ["out"])
    }
  }

  @Test func serverWithoutRangesSendsTheWholeAndNothingIsLost() async throws {
    try await withFiles { server, tool, directory in
      try ResumeTests.pattern(1000).write(to: directory.appending(path: "out"))
      server.enqueue(Reply(body: .pattern(count: 2000), faults: [.disconnectAfterBodyBytes(500)]))
      let cut = try await tool.run("-C", "-", "-o", "out", server.url("/bytes/2000").absoluteString)
      #expect(cut.status == 18)
      #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(1000))
      let whole = try await tool.run("-C", "-", "-o", "out", server.url("/bytes/2000").absoluteString)
      #expect(whole.status == 0, "\(whole.errors)")
      #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(2000))
      #expect(try names(in: directory) == ["out"])
    }
  }

  @Test func changedResourceIsLoadedAnew() async throws {
    try await withFiles { server, tool, directory in
      let url = server.url("/range/\(ResumeTests.count)").absoluteString
      try Data(repeating: 1, count: 5000).write(to: directory.appending(path: "out.part"))
      try Data("{\"url\":\"\(url)\",\"validator\":\"\\\"old\\\"\",\"total\":9000}".utf8).write(
        to: directory.appending(path: "out.part.json"))
      let outcome = try await tool.run("-C", "-", "-o", "out", url)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(server.requests.last?.headers["If-Range"] == "\"old\"")
      #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(ResumeTests.count))
    }
  }

  @Test func wrongContentRangeIsAnErrorAndThePartIsKept() async throws {
    try await withFiles { server, tool, directory in
      try ResumeTests.pattern(1000).write(to: directory.appending(path: "out"))
      server.enqueue(Reply(206, headers: ["Content-Range": "bytes 500-1999/2000"], body: .pattern(from: 500, count: 1500)))
      let outcome = try await tool.run("-C", "-", "-o", "out", server.url("/").absoluteString)
      #expect(outcome.status == 8)
      #expect(outcome.errors.contains("from 500"))
      #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(1000))
    }
  }

  @Test func pageOfAnErrorIsNotJoinedToTheFile() async throws {
    try await withFiles { server, tool, directory in
      try ResumeTests.pattern(1000).write(to: directory.appending(path: "out"))
      server.enqueue(.text("not here", status: 404))
      let outcome = try await tool.run("-C", "-", "-o", "out", server.url("/").absoluteString)
      #expect(outcome.status == 22)
      #expect(outcome.errors.contains("404"))
      #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(1000))
    }
  }

  @Test func offsetGoesOnAfterIt() async throws {
    try await withFiles { server, tool, directory in
      let url = server.url("/range/2000").absoluteString
      let rest = try await tool.run("-C", "1500", url)
      #expect(rest.status == 0, "\(rest.errors)")
      #expect(rest.output == ResumeTests.pattern(2000).dropFirst(1500))
      try ResumeTests.pattern(1000).write(to: directory.appending(path: "out"))
      let cut = try await tool.run("-C", "700", "-o", "out", url)
      #expect(cut.status == 0, "\(cut.errors)")
      #expect(server.requests.last?.headers["Range"] == "bytes=700-")
      #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(2000))
    }
  }

  /// Ends the tool by SIGKILL at points of a seeded sequence; each run resumes what the ones before have written.
  @Test func killedTransfersEndByteExact() async throws {
    try await withFiles { server, tool, directory in
      let total = 4_000_000
      let tag = "\"v1\""
      let part = directory.appending(path: "out.part")
      var seed: UInt64 = 0x5EED
      for _ in 0..<8 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let there = (try? Data(contentsOf: part).count) ?? 0
        let stop = min(total - there - 1, 1 + Int((seed >> 33) % 600_000))
        let gate = Gate()
        var reply = Reply(
          there == 0 ? 200 : 206, headers: ["ETag": tag], body: .pattern(from: there, count: total - there),
          faults: [.stallAfter(bodyBytes: stop, gate: gate)])
        if there > 0 { reply.headers["Content-Range"] = "bytes \(there)-\(total - 1)/\(total)" }
        server.enqueue(reply)
        let outcome = try await tool.run("-C", "-", "-o", "out", server.url("/big").absoluteString) { process in
          try await gate.reached()
          process.kill()
        }
        #expect(outcome.status == SIGKILL)
        let request = try #require(server.requests.last)
        #expect(request.headers["Range"] == (there == 0 ? nil : "bytes=\(there)-"))
      }
      server.route("/big") { request in
        let from = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
        return Reply(
          206, headers: ["ETag": "\"v1\"", "Content-Range": "bytes \(from)-\(total - 1)/\(total)"],
          body: .pattern(from: from, count: total - from))
      }
      let outcome = try await tool.run("-C", "-", "-o", "out", server.url("/big").absoluteString)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(total))
      #expect(try names(in: directory) == ["out"])
      // What was on its way when the tool was killed, at most: nothing that was written is fetched again.
      #expect(server.sentBytes < total + 8 * 1_000_000)
    }
  }
}
