import BackgroundTransfers
import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

/// `urlload background` with a daemon that it starts.
@Suite(.timeLimit(.minutes(10))) struct BackgroundCommandTests {
  private static let size = 200_000

  /// A reply that stops in the middle until the gate opens.
  private static func halted(_ gate: Gate) -> Reply {
    Reply(headers: ["ETag": "\"range-\(size)\""], body: .pattern(count: size), faults: [.stallAfter(bodyBytes: size / 2, gate: gate)])
  }

  private static func pattern() -> Data { Data((0..<size).map { UInt8(ascii: "a") + UInt8($0 % 26) }) }

  @Test func addEndsAtOnceAndTheDownloadIsFinishedWithoutIt() async throws {
    try await BackgroundTool.with { tool, server async throws in
      let gate = Gate()
      server.route("/disc.iso", reply: BackgroundCommandTests.halted(gate))
      let added = try await tool.add("--description", "a disc", server.url("/disc.iso?key=s3cret").absoluteString)
      try await gate.reached()
      let listed = try await tool.listings("list")
      #expect(listed.count == 1 && listed.first?.id == added.id && listed.first?.phase == "running")
      #expect(listed.first?.url == server.url("/disc.iso").absoluteString && listed.first?.description == "a disc")
      #expect(listed.first?.created != nil && listed.first?.expectedToReceive == Int64(BackgroundCommandTests.size))
      let text = try await tool.run("list").text
      #expect(text.hasPrefix("\(added.id)".leftPadded(5) + "  running"))
      #expect(text.contains("/disc.iso -> ") && text.contains("“a disc”") && !text.contains("s3cret"))
      gate.open()
      let seen = try await tool.listings("watch", "\(added.id)")
      #expect(seen.last?.phase == "finished")
      #expect(try tool.file("disc.iso") == BackgroundCommandTests.pattern())
      #expect(try await tool.run("list").text == "no background transfers\n")
      // Also of one that had ended before.
      #expect(try await tool.listings("watch", "\(added.id)").map(\.phase) == ["finished"])
      #expect(try await tool.run("log", "\(added.id)").text.contains("finished: status 200, "))
    }
  }

  @Test func uploadIsSentWithItsFieldsAndLeavesNothingBehind() async throws {
    try await BackgroundTool.with { tool, server async throws in
      server.route("/kept/*", reply: Reply(201, body: .text("dropped")))
      try Data("report".utf8).write(to: tool.folder.appending(path: "report.txt"))
      let added = try await tool.add("-T", "report.txt", "-H", "X-Kind: yearly", server.url("/kept/").absoluteString)
      #expect(added.kind == "upload")
      #expect(try await tool.run("watch", "\(added.id)").status == 0)
      let request = try #require(server.requests.last)
      #expect(request.method == "PUT" && request.path == "/kept/report.txt" && request.headers["X-Kind"] == "yearly")
      #expect(request.bodyLength == 6)
      #expect(try await tool.listings("list").isEmpty)
    }
  }

  @Test func responseOfAnUploadIsStoredWhereItIsOrdered() async throws {
    try await BackgroundTool.with { tool, server async throws in
      server.route("/form", reply: .text("receipt"))
      try Data("order".utf8).write(to: tool.folder.appending(path: "order.txt"))
      let added = try await tool.add("-X", "POST", "-T", "order.txt", "-o", "receipt.txt", server.url("/form").absoluteString)
      #expect(try await tool.run("watch", "\(added.id)").status == 0)
      #expect(server.requests.last?.method == "POST")
      #expect(try tool.file("receipt.txt") == Data("receipt".utf8))
    }
  }

  @Test func errorStatusIsAFailureThatIsListedUntilItIsCleared() async throws {
    try await BackgroundTool.with { tool, server async throws in
      server.route("/gone", reply: Reply(404, body: .text("gone")))
      server.route("/refused", reply: Reply(403))
      try Data("x".utf8).write(to: tool.folder.appending(path: "x"))
      let download = try await tool.add(server.url("/gone").absoluteString)
      let upload = try await tool.add("-T", "x", server.url("/refused").absoluteString)
      #expect(try await tool.listings("watch", status: 1).filter { $0.phase == "failed" }.count == 2)
      let listed = try await tool.listings("list")
      #expect(listed.map(\.id) == [download.id, upload.id] && listed.allSatisfy { $0.phase == "failed" })
      #expect(listed.first?.reason?.contains("404") == true && listed.last?.reason?.contains("403") == true)
      #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "gone").path))
      #expect(try await tool.run("clear", "\(download.id)").status == 0)
      #expect(try await tool.listings("list").map(\.id) == [upload.id])
      #expect(try await tool.run("clear").status == 0)
      #expect(try await tool.listings("list").isEmpty)
      #expect(try await tool.run("clear", "\(upload.id)").status == 1)
      #expect(try await tool.listings("watch", "\(upload.id)", status: 1).map(\.phase) == ["failed"])
    }
  }

  @Test func pausedTransferWaitsUntilItIsResumed() async throws {
    try await BackgroundTool.with { tool, server async throws in
      let gate = Gate()
      server.route("/x", reply: BackgroundCommandTests.halted(gate))
      let added = try await tool.add(server.url("/x").absoluteString)
      #expect(try await tool.run("pause", "\(added.id)").status == 0)
      gate.open()
      #expect(try await tool.listings("list").first?.phase == "suspended")
      #expect(try await tool.run("status").text.contains("\(added.id) is paused"))
      #expect(try await tool.run("resume", "\(added.id)").status == 0)
      #expect(try await tool.run("watch", "\(added.id)").status == 0)
      #expect(try tool.file("x") == BackgroundCommandTests.pattern())
    }
  }

  @Test func cancelledTransferIsAFailureForWatch() async throws {
    let terminal = try PseudoTerminal(columns: 100)
    try await BackgroundTool.with { tool, server async throws in
      let gate = Gate()
      server.route("/x", reply: BackgroundCommandTests.halted(gate))
      let added = try await tool.add(server.url("/x").absoluteString)
      try await gate.reached()
      let outcome = try await tool.run("watch", terminal: terminal) { _ in
        #expect(await terminal.drawing { $0.contains("50% ▕█") } != nil)
        let cancellation = try await tool.run("cancel", "\(added.id)")
        #expect(cancellation.status == 0)
      }
      #expect(outcome.status == 1)
      #expect(PseudoTerminal.screen(terminal.text).first?.contains("cancelled") == true)
      #expect(try await tool.listings("watch", "\(added.id)", status: 1).map(\.phase) == ["cancelled"])
      #expect(try await tool.listings("list").isEmpty)
      for verb in ["pause", "resume", "cancel"] {
        let outcome = try await tool.run(verb, "\(added.id)", "77")
        #expect(outcome.status == 1 && outcome.errors.contains("77: There is no transfer 77"), "\(verb)")
      }
    }
  }

  @Test func transferWithABeginningWaitsForIt() async throws {
    try await BackgroundTool.with { tool, server async throws in
      let added = try await tool.add("--not-before", "3600", server.url("/range/10").absoluteString)
      let listed = try #require(try await tool.listings("list").first)
      #expect(listed.phase == "waiting")
      #expect(try #require(listed.next) > Date().addingTimeInterval(1800))
      #expect(try await tool.run("status").text.contains("\(added.id) waits: "))
      #expect(server.requestCount == 0)
    }
  }

  @Test func severalAddsAtOnceWaitForEachOther() async throws {
    try await BackgroundTool.with { tool, server async throws in
      let identifiers = try await withThrowingTaskGroup(of: [Int64].self) { group in
        for index in 0..<4 {
          group.addTask {
            try await tool.listings("add", "-o", "file\(index)", server.url("/range/1000").absoluteString).map(\.id)
          }
        }
        return try await group.reduce(into: [Int64]()) { $0 += $1 }
      }
      #expect(Set(identifiers).count == 4)
      #expect(try await tool.run("watch").status == 0)
      for index in 0..<4 { #expect(try tool.file("file\(index)").count == 1000) }
    }
  }

  @Test func whatCantBeStoredIsRefusedBeforeAnythingIsAdded() async throws {
    try await BackgroundTool.with { tool, server async throws in
      let url = server.url("/range/10").absoluteString
      try Data("mine".utf8).write(to: tool.folder.appending(path: "10"))
      #expect(try await tool.run("add", url).status == 23)
      #expect(try await tool.run("add", "-o", ".", url).status == 23)
      #expect(try await tool.run("add", "-o", "no/such/folder", url).status == 23)
      #expect(try await tool.run("add", server.url("/a/same").absoluteString, server.url("/b/same").absoluteString).status == 23)
      #expect(try await tool.run("add", server.url("/").absoluteString).status == 23)
      #expect(try await tool.run("add", "ftp://example.com/file").status == 3)
      #expect(try await tool.run("add", "-T", "missing", url).status == 26)
      #expect(try await tool.run("add", "-T", ".", url).status == 26)
      #expect(try await tool.run("add", "-o", "-", url).status == 64)
      #expect(try tool.file("10") == Data("mine".utf8))
      #expect(try await tool.daemon() == nil)
      #expect(server.requestCount == 0)
    }
  }

  @Test func commandsStartNoDaemonWhereThereIsNoQueue() async throws {
    try await Tool.withDirectory { tool, folder in
      let environment = ["URL_LOADING_SYSTEM_HOME": folder.path, "URLSESSIOND_PATH": "/nonexistent"]
      for words in [["list"], ["log"], ["watch"], []] {
        let outcome = try await tool.run(list: ["background"] + words, environment: environment)
        #expect(outcome.status == 0 && outcome.text == "no background transfers\n", "\(words)")
      }
      #expect(try await tool.run("background", "status", environment: environment).text.hasPrefix("no background transfers"))
      #expect(try await tool.run("background", "list", "--json", environment: environment).text.isEmpty)
      for words in [["pause", "1"], ["cancel", "1"], ["watch", "1"]] {
        #expect(try await tool.run(list: ["background"] + words, environment: environment).status == 1, "\(words)")
      }
      let outcome = try await tool.run("background", "add", "http://127.0.0.1/x", environment: environment)
      #expect(outcome.status == 7 && outcome.errors.contains("URLSESSIOND_PATH"))
    }
  }

  @Test(arguments: ["list", "log", "status"]) func questionIsAskedAgainWhereTheDaemonWasJustEnding(command: String) async throws {
    try await BackgroundTool.with { tool, server async throws in
      server.route("/small", reply: .text("done"))
      let added = try await tool.add("-o", "out", server.url("/small").absoluteString)
      _ = try await tool.listings("watch", "\(added.id)")
      kill(try #require(try await tool.daemon()), SIGKILL)
      try await tool.awaitRelease()
      // One that ends as soon as it is asked.
      let ending = try MessageListener(path: tool.places().socket)
      ending.start { link in
        ending.close()
        link.close()
      }
      let outcome = try await tool.run(command)
      #expect(outcome.status == 0 && !outcome.text.isEmpty, "\(outcome.errors)")
    }
  }

  @Test func watchGoesOnAfterTheDaemonIsKilled() async throws {
    let terminal = try PseudoTerminal(columns: 100)
    try await BackgroundTool.with { tool, server async throws in
      // The first reply never ends; the next ones are ranges of the same.
      server.enqueue(BackgroundCommandTests.halted(Gate()))
      let added = try await tool.add("-o", "out", server.url("/range/\(BackgroundCommandTests.size)").absoluteString)
      let daemon = try #require(try await tool.daemon())
      let outcome = try await tool.run("watch", "\(added.id)", terminal: terminal) { _ in
        #expect(await terminal.drawing { $0.contains("50% ▕█") } != nil)
        kill(daemon, SIGKILL)
      }
      #expect(outcome.status == 0)
      let screen = PseudoTerminal.screen(terminal.text)
      #expect(screen.count == 2 && screen[0].contains("finished") && screen[1].isEmpty, "\(screen)")
      #expect(try tool.file("out") == BackgroundCommandTests.pattern())
    }
  }
}

extension String {
  fileprivate func leftPadded(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
