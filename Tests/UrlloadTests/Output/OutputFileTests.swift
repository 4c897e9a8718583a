import Foundation
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct OutputFileTests {
  private func names(in directory: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  @Test func fileAppearsOnceItIsComplete() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let gate = Gate()
        server.enqueue(Reply(body: .text("whole"), faults: [.stallAfter(bodyBytes: 2, gate: gate)]))
        let outcome = try await tool.run("-o", "out", server.url("/").absoluteString) { _ in
          try await gate.reached()
          #expect(!FileManager.default.fileExists(atPath: directory.appending(path: "out").path))
          gate.open()
        }
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(try names(in: directory) == ["out"])
        #expect(try Data(contentsOf: directory.appending(path: "out")) == Data("whole".utf8))
      }
    }
  }

  @Test func failureLeavesTheOldFileAndNoOther() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let file = directory.appending(path: "out")
        try Data("old".utf8).write(to: file)
        server.enqueue(Reply(body: .pattern(count: 1000), faults: [.disconnectAfterBodyBytes(10)]))
        let outcome = try await tool.run("-o", "out", server.url("/").absoluteString)
        #expect(outcome.status == 18)
        #expect(outcome.errors.hasPrefix("urlload: "))
        #expect(try names(in: directory) == ["out"])
        #expect(try Data(contentsOf: file) == Data("old".utf8))
      }
    }
  }

  @Test(arguments: [["-o", "same"], ["-O"], ["--segments", "2", "-O"], ["-C", "-", "-o", "none"], ["-o", "none"]])
  func notModifiedLeavesTheFile(_ options: [String]) async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        server.route("/same", reply: Reply(304, headers: ["ETag": "\"a\""]))
        let file = directory.appending(path: "same")
        try Data("old".utf8).write(to: file)
        let outcome = try await tool.run(list: options + ["-H", "If-None-Match: \"a\"", server.url("/same").absoluteString])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try names(in: directory) == ["same"])
        #expect(try Data(contentsOf: file) == Data("old".utf8))
      }
    }
  }

  @Test func tagsAreKeptAndCompared() async throws {
    try await withStandardServer { server async throws in
      server.route("/tagged") { request in
        request.headers["If-None-Match"] == "\"a\"" ? Reply(304) : Reply(200, headers: ["ETag": "\"a\""], body: .text("new"))
      }
      try await Tool.withDirectory { tool, directory async throws in
        let options = ["--etag-save", "tag", "--etag-compare", "tag", "-o", "f", server.url("/tagged").absoluteString]
        #expect(try await tool.run(list: options).status == 0)
        #expect(server.requests.last?.headers["If-None-Match"] == "\"\"")
        #expect(try String(contentsOf: directory.appending(path: "tag"), encoding: .utf8) == "\"a\"\n")
        #expect(try await tool.run(list: options).status == 0)
        #expect(server.requests.last?.headers["If-None-Match"] == "\"a\"")
        #expect(try String(contentsOf: directory.appending(path: "f"), encoding: .utf8) == "new")
        #expect(try await tool.run(list: options + [server.url("/tagged").absoluteString]).status == 64)
      }
    }
  }

  @Test func filesGetTheTimeOfTheResource() async throws {
    try await withStandardServer { server async throws in
      let fields: HeaderList = ["Last-Modified": "Fri, 02 Jan 2026 03:04:05 GMT"]
      server.route("/dated", reply: Reply(200, headers: fields, body: .text("new")))
      try await Tool.withDirectory { tool, directory async throws in
        let url = server.url("/dated").absoluteString
        #expect(try await tool.run("-R", "-o", "f", url).status == 0)
        let file = directory.appending(path: "f").path
        let date = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
        #expect(date == Date(timeIntervalSince1970: 1_767_323_045))
        for (value, name, sent) in [
          (file, "If-Modified-Since", "Fri, 02 Jan 2026 03:04:05 GMT"),
          ("-2026-02-03", "If-Unmodified-Since", "Tue, 03 Feb 2026 00:00:00 GMT"),
          ("20260203", "If-Modified-Since", "Tue, 03 Feb 2026 00:00:00 GMT"),
        ] {
          #expect(try await tool.run("-z", value, url).errors.isEmpty)
          #expect(server.requests.last?.headers[name] == sent)
        }
        #expect(try await tool.run("-z", "none", url).errors.contains("-z takes a date"))
        #expect(server.requests.last?.headers["If-Modified-Since"] == nil)
      }
    }
  }

  @Test func fileOfATimeBeyondAllIsFetched() async throws {
    try await Tool.withDirectory { tool, directory async throws in
      // Of the usual file systems, only tmpfs keeps such a time.
      let folder = access("/dev/shm", W_OK) == 0 ? URL(filePath: "/dev/shm") : directory
      let file = folder.appending(path: "urlload-\(UUID().uuidString)").path
      defer { unlink(file) }
      try Data("old".utf8).write(to: URL(filePath: file))
      let time = timespec(tv_sec: .max, tv_nsec: 0)
      try #require(utimensat(AT_FDCWD, file, [time, time], 0) == 0)
      #expect(try await tool.run("-R", "-o", "f", "file://\(file)").status == 0)
      #expect(try String(contentsOf: directory.appending(path: "f"), encoding: .utf8) == "old")
    }
  }

  /// The remedy names no option, because it may be any of these that names the file.
  @Test(arguments: [["-o", "none/f"], ["-D", "none/f"], ["-c", "none/f"], ["--trace", "none/f"]])
  func remedyIsThatOfTheOption(_ options: [String]) async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, _ in
        let outcome = try await tool.run(list: options + [server.url("/bytes/3").absoluteString])
        #expect(outcome.status == 23)
        #expect(outcome.errors.contains("make the directory first, or choose another\n"), "\(outcome.errors)")
      }
    }
  }

  @Test func replacedFileKeepsPermissionsAndLinks() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let file = directory.appending(path: "real")
        try Data("old".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        try FileManager.default.createSymbolicLink(at: directory.appending(path: "link"), withDestinationURL: file)
        let outcome = try await tool.run("-o", "link", server.url("/bytes/3").absoluteString)
        #expect(outcome.status == 0)
        #expect(try Data(contentsOf: file) == Data("abc".utf8))
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o640)
        #expect(try names(in: directory) == ["link", "real"])
      }
    }
  }

  @Test func remoteNameComesFromTheURLOrTheServer() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        server.route("/named", reply: Reply(headers: ["Content-Disposition": "attachment; filename=\"../report.txt\""], body: .text("r")))
        let outcome = try await tool.run("-O", server.url("/bytes/3").absoluteString, server.url("/named").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try names(in: directory) == ["3", "named"])
        let suggested = try await tool.run("-OJ", server.url("/named").absoluteString)
        #expect(suggested.status == 0, "\(suggested.errors)")
        let names = try names(in: directory)
        #expect(names.count == 3)
        #expect(names.contains { $0.hasSuffix("report.txt") })
        // The user has named the one, and may replace it; the server may not choose what is replaced.
        #expect(try await tool.run("-O", server.url("/named").absoluteString).status == 0)
        let again = try await tool.run("-O", "-J", server.url("/named").absoluteString)
        #expect(again.status == 23)
        #expect(again.errors.contains("there is such a file"))
        #expect(try await tool.run("-J", server.url("/named").absoluteString).status == 64)
        // The server's name is taken as it is.
        let fields: HeaderList = ["Content-Disposition": "attachment; filename=LICENSE", "Content-Type": "text/plain"]
        server.route("/terms", reply: Reply(headers: fields, body: .text("t")))
        #expect(try await tool.run("-OJ", server.url("/terms").absoluteString).status == 0)
        #expect(FileManager.default.fileExists(atPath: directory.appending(path: "LICENSE").path))
      }
    }
  }

  @Test(arguments: [["-O"], ["-O", "-C", "-"], ["-O", "-J"]])
  func redirectDoesNotChooseTheFileThatIsReplaced(options: [String]) async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        server.route("/file.txt", reply: Reply(302, headers: ["Location": "/x/Makefile"]))
        server.route("/x/Makefile", reply: Reply(headers: ["Content-Type": "text/plain"], body: .text("evil")))
        let makefile = directory.appending(path: "Makefile")
        try Data("mine".utf8).write(to: makefile)
        let outcome = try await tool.run(list: options + [server.url("/file.txt").absoluteString])
        #expect(try Data(contentsOf: makefile) == Data("mine".utf8))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try names(in: directory) == ["Makefile", options.contains("-J") ? "Makefile.txt" : "file.txt"])
      }
    }
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may write every file")) func protectedFileIsNotReplaced() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let file = directory.appending(path: "out")
        try Data("old".utf8).write(to: file)
        chmod(file.path, 0o444)
        for options in [[], ["-C", "-"]] {
          let outcome = try await tool.run(list: options + ["-o", "out", server.url("/bytes/5").absoluteString])
          #expect(outcome.status == 23)
          #expect(outcome.errors.hasPrefix("urlload: out can't be written"), "\(outcome.errors)")
        }
        #expect(server.requestCount == 0)
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        #expect(try names(in: directory) == ["out"])
      }
    }
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may write every folder"))
  func fileInAFolderThatTakesNoOtherIsWrittenInItsPlace() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let folder = directory.appending(path: "d")
        let file = folder.appending(path: "out")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try Data("something old".utf8).write(to: file)
        chmod(folder.path, 0o555)
        defer { chmod(folder.path, 0o755) }
        let failed = try await tool.run("-f", "-o", "d/out", server.url("/status/404").absoluteString)
        #expect(failed.status == 22)
        #expect(try Data(contentsOf: file) == Data("something old".utf8))
        let outcome = try await tool.run("-o", "d/out", server.url("/bytes/5").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Data(contentsOf: file) == Data("abcde".utf8))
        #expect(try names(in: folder) == ["out"])
        let new = try await tool.run("-o", "d/new", server.url("/bytes/5").absoluteString)
        #expect(new.status == 23)
      }
    }
  }

  @Test(arguments: [false, true]) func linksAreFollowed(isThere: Bool) async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let (folder, manager) = (directory.appending(path: "d"), FileManager.default)
        try manager.createDirectory(at: folder, withIntermediateDirectories: false)
        try manager.createSymbolicLink(atPath: directory.appending(path: "first").path, withDestinationPath: "d/second")
        try manager.createSymbolicLink(atPath: folder.appending(path: "second").path, withDestinationPath: "file")
        if isThere { try Data("something old".utf8).write(to: folder.appending(path: "file")) }
        let outcome = try await tool.run("-o", "first", server.url("/bytes/5").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Data(contentsOf: folder.appending(path: "file")) == Data("abcde".utf8))
        #expect(try manager.destinationOfSymbolicLink(atPath: directory.appending(path: "first").path) == "d/second")
        #expect(try names(in: folder) == ["file", "second"])
      }
    }
  }

  @Test func nameThatBeginsWithADashIsMadeHarmless() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        server.route("/-rf", reply: .text("x"))
        server.route("/named", reply: Reply(headers: ["Content-Disposition": "attachment; filename=\"-i.txt\""], body: .text("y")))
        let outcome = try await tool.run("-O", server.url("/-rf").absoluteString, "-J", server.url("/named").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let plain = try await tool.run("-O", server.url("/-rf").absoluteString)
        #expect(plain.status == 0, "\(plain.errors)")
        #expect(try names(in: directory).contains("_rf"))
        #expect(try names(in: directory).contains("_i.txt"))
        #expect(!(try names(in: directory).contains { $0.hasPrefix("-") }))
        // That name isn't the one in the URL, so the user hasn't named it.
        #expect(try await tool.run("-O", server.url("/-rf").absoluteString).status == 23)
      }
    }
  }

  @Test func nameThatIsNotUTF8StaysEncoded() async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        server.route("/*", reply: Reply(headers: ["Content-Type": "text/plain"], body: .text("x")))
        let root = server.url("/").absoluteString
        // The second time, the file that the user has named is replaced.
        for _ in 0..<2 {
          let outcome = try await tool.run(list: ["-O"] + ["f%FCr.txt", "d%FC/plain%20name.txt", "d%FC/-x%FC", ".%FC"].map { root + $0 })
          #expect(try names(in: directory) == ["_%FC", "_x%FC", "f%FCr.txt", "plain name.txt"], "\(outcome.errors)")
        }
        #expect(try await tool.run("-O", root + "f%FCr.txt").status == 0)
        #expect(try await tool.run("-O", root + ".%FC").status == 23)
      }
    }
  }

  @Test func nameInTheURLStaysInTheDirectory() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let inner = directory.appending(path: "inner", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
        // No other program makes a file of this name beside the directory.
        let outside = "up-\(UUID())"
        for name in ["%2e%2e%2f", "..%2F"] {
          server.enqueue(.text("x"))
          _ = try await tool.run("-O", "-C", "-", server.url("/a/").absoluteString + name + outside)
        }
        #expect(!FileManager.default.fileExists(atPath: directory.deletingLastPathComponent().appending(path: outside).path))
      }
    }
  }

  @Test func fullDiskIsAnError() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run("-o", "/dev/full", server.url("/bytes/100000").absoluteString)
      #expect(outcome.status == 23)
      #expect(outcome.errors.contains("No space left on device"))
    }
  }

  @Test(arguments: ["/nowhere/at/all", "/"]) func unwritableFileFailsBeforeAnythingIsAsked(path: String) async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run("-o", path, server.url("/").absoluteString)
      #expect(outcome.status == 23)
      #expect(outcome.errors.hasPrefix("urlload: \(path) can't be written"))
      #expect(server.requestCount == 0)
    }
  }

  @Test func closedPipeEndsQuietly() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().runIntoClosedPipe(server.url("/bytes/10000000").absoluteString)
      #expect(outcome.status == 23)
      #expect(outcome.errors.isEmpty)
    }
  }
}
