import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

/// What is sent to URLs of other schemes than HTTP's: by `-T` alone, and never because a server says so.
@Suite(.timeLimit(.minutes(10))) struct SchemeTests {
  /// Runs `body` with an HTTP server whose "/go" redirects by 307 to a file at an FTP server, which can only be fetched there.
  private func withRedirectToFTP(_ body: (TestServer) async throws -> Void) async throws {
    try await TestServer.with(.raw([.send("kept"), .close])) { data async throws in
      let port = try #require(data.url("/").port)
      var steps: [RawStep] = [.send("220 here\r\n")]
      for reply in ["230 welcome", "200 binary", "213 4", "213 20260101000000", "229 passive (|||\(port)|)"] {
        steps += [.read(until: "\r\n"), .send("\(reply)\r\n")]
      }
      steps += [.read(until: "RETR p.txt\r\n"), .send("150 comes\r\n226 whole\r\n"), .readToEnd]
      try await TestServer.with(.raw(steps)) { ftp async throws in
        let address = try #require(ftp.url("/").port)
        try await withStandardServer { server in
          server.route("/go", reply: Reply(307, headers: ["Location": "ftp://127.0.0.1:\(address)/p.txt"]))
          try await body(server)
        }
      }
    }
  }

  @Test func redirectOfAPostToFTPFetches() async throws {
    try await withRedirectToFTP { server in
      let outcome = try await Tool().run("-sS", "-d", "X", server.url("/go").absoluteString)
      #expect((outcome.status, outcome.text) == (0, "kept"), "\(outcome.errors)")
    }
  }

  @Test func redirectOfAnUploadToFTPIsAFailure() async throws {
    try await withStandardServer { server in
      server.route("/go", reply: Reply(307, headers: ["Location": "ftp://127.0.0.1:1/p.txt"]))
      try await Tool.withDirectory { tool, directory in
        try Data("X".utf8).write(to: directory.appending(path: "new"))
        let outcome = try await tool.run("-sS", "-T", "new", server.url("/go").absoluteString)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("redirects the upload to FTP"))
      }
    }
  }

  @Test(arguments: [
    ["-d", "x=1", "ftp://127.0.0.1:1/f"], ["-F", "a=b", "ftp://127.0.0.1:1/f"], ["ftp://127.0.0.1:1/f", "x=1"],
    ["--json", "{}", "ftps://127.0.0.1:1/f"], ["-X", "PUT", "ftp://127.0.0.1:1/f"], ["-d", "x", "file:///etc/hostname"],
    ["-X", "DELETE", "file:///etc/hostname"], ["-d", "x", "data:,hi"], ["-T", "new", "data:,hi"], ["-X", "PUT", "data:,hi"],
  ]) func dataForOtherSchemesIsWrongUsage(arguments: [String]) async throws {
    try await Tool.withDirectory { tool, directory in
      try Data("X".utf8).write(to: directory.appending(path: "new"))
      let outcome = try await tool.run(list: arguments)
      #expect(outcome.status == 64, "\(outcome.errors)")
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.hasPrefix("urlload: "))
    }
  }

  @Test(arguments: [false, true]) func uploadToAFileURLWritesTheFile(isThere: Bool) async throws {
    try await Tool.withDirectory { tool, directory in
      let (source, target) = (directory.appending(path: "new"), directory.appending(path: "a b"))
      try ResumeTests.pattern(200_000).write(to: source)
      if isThere { try Data("old".utf8).write(to: target) }
      let outcome = try await tool.run("-T", "new", "file://\(directory.path)/a%20b")
      #expect((outcome.status, outcome.text) == (0, ""), "\(outcome.errors)")
      #expect(try Data(contentsOf: target) == ResumeTests.pattern(200_000))
      #expect(try Set(FileManager.default.contentsOfDirectory(atPath: directory.path)) == ["new", "a b"])
    }
  }

  @Test func standardInputIsWrittenToAFileURL() async throws {
    try await Tool.withDirectory { tool, directory in
      let outcome = try await tool.run("-T", "-", "file://\(directory.path)/out", input: Data("typed".utf8))
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try Data(contentsOf: directory.appending(path: "out")) == Data("typed".utf8))
    }
  }

  @Test func otherMachinesFilesAreRefused() async throws {
    try await Tool.withDirectory { tool, directory in
      let file = directory.appending(path: "new")
      try Data("x".utf8).write(to: file)
      let target = directory.appending(path: "out")
      let refused = try await tool.run("-T", "new", "file://nas\(target.path)")
      #expect(refused.status == 3)
      #expect(refused.errors.contains("nas"), "\(refused.errors)")
      #expect(!FileManager.default.fileExists(atPath: target.path))
      let read = try await tool.run("file://nas\(file.path)")
      #expect(read.status == 3 && read.output.isEmpty, "\(read.errors)")
      for host in ["localhost", "127.0.0.1", "LOCALHOST"] {
        let own = try await tool.run("-T", "new", "file://\(host)\(target.path)")
        #expect(own.status == 0, "\(own.errors)")
      }
      #expect(try Data(contentsOf: target) == Data("x".utf8))
    }
  }

  /// A terminal at which nothing is typed.
  @Test func copyThatTakesTooLongIsATimeout() async throws {
    try await Tool.withDirectory { tool, directory in
      let terminal = try PseudoTerminal(columns: 80)
      let target = directory.appending(path: "out")
      try Data("old".utf8).write(to: target)
      let outcome = try await tool.run(
        list: ["-m", "0.2", "-T", "-", "file://\(target.path)"], terminal: terminal, terminalUse: .everything)
      #expect(outcome.status == 28)
      #expect(try Data(contentsOf: target) == Data("old".utf8))
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["out"])
    }
  }

  @Test func figuresOfACopyAreTold() async throws {
    try await Tool.withDirectory { tool, directory in
      try ResumeTests.pattern(200_000).write(to: directory.appending(path: "new"))
      let outcome = try await tool.run("-w", "%{size_upload} %{time_total} %{exitcode}", "-T", "new", "file://\(directory.path)/out")
      let words = outcome.text.split(separator: " ")
      #expect(words.count == 3 && words.first == "200000" && words.last == "0", "\(outcome.text)")
      #expect(words.dropFirst().first.flatMap { Double($0) }.map { $0 > 0 } == true)
    }
  }

  @Test func folderOfAFileURLGetsTheFilesName() async throws {
    try await Tool.withDirectory { tool, directory in
      try Data("x".utf8).write(to: directory.appending(path: "new"))
      try FileManager.default.createDirectory(at: directory.appending(path: "d"), withIntermediateDirectories: false)
      #expect(try await tool.run("-T", "new", "file://\(directory.path)/d/").status == 0)
      #expect(try Data(contentsOf: directory.appending(path: "d/new")) == Data("x".utf8))
      let missing = try await tool.run("-T", "new", "file://\(directory.path)/nowhere/f")
      #expect(missing.status == 23, "\(missing.errors)")
    }
  }
}
