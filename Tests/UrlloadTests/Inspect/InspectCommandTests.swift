#if Inspector
  import ChildProcesses
  import Foundation
  import Testing
  import URLLoadingInspector
  import URLLoadingSystem
  import URLLoadingTestKit

  /// The built tool: `urlload --har`, `--waterfall`, `--report`, `urlload inspect`.
  @Suite(.timeLimit(.minutes(10))) struct InspectCommandTests {
    @Test func aRunLeavesItsTransfers() async throws {
      try await withStandardServer { server in
        try await Tool.withDirectory { tool, folder in
          let outcome = try await tool.run(
            "--har", "loads.har", "--waterfall", "loads.svg", "--report", "loads.html", "-u", "user:h1dden",
            server.url("/basic-auth/user/h1dden?token=h1dden").absoluteString, server.url("/redirect/1").absoluteString,
            server.url("/status/404").absoluteString)
          #expect(outcome.status == 0, "\(outcome.errors)")
          let archive = try Data(contentsOf: folder.appending(path: "loads.har"))
          let transfers = try HARReading.transfers(archive)
          #expect(transfers.map { $0.response?.status } == [401, 200, 302, 200, 404])
          #expect(transfers.map(\.state) == [.authenticated, .completed, .redirected, .completed, .completed])
          let picture = try String(contentsOf: folder.appending(path: "loads.svg"), encoding: .utf8)
          #expect(picture.hasPrefix("<?xml") || picture.hasPrefix("<svg"))
          #expect(picture.contains("401 GET"))
          let report = try Data(contentsOf: folder.appending(path: "loads.html"))
          for file in [archive, report, Data(picture.utf8)] {
            // The path has it too, where nothing says that it is one.
            #expect(!String(decoding: file, as: UTF8.self).contains("token=h1dden"))
            #expect(!String(decoding: file, as: UTF8.self).contains(Data("user:h1dden".utf8).base64EncodedString()))
          }
          var status = stat()
          #expect(stat(folder.appending(path: "loads.har").path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
      }
    }

    @Test func aFailedRunLeavesThemToo() async throws {
      try await Tool.withDirectory { tool, folder in
        let outcome = try await tool.run("--har", "loads.har", "http://127.0.0.1:1/")
        #expect(outcome.status == 7)
        let transfers = try HARReading.transfers(Data(contentsOf: folder.appending(path: "loads.har")))
        #expect(transfers.map { $0.failure?.name } == ["cannotConnectToHost"])
      }
    }

    @Test(arguments: [
      (["--har", "/no/such/file", "data:,a"], 23), (["--waterfall", "x.gif", "data:,a"], 64), (["inspect"], 64),
      (["inspect", "/no/such/file"], 26), (["inspect", "/dev/null"], 26), (["inspect", "--port", "99999", "--", "true"], 64),
      (["inspect", "--end", "--", "/no/such/command"], 127), (["inspect", "--end", "--", "/etc/passwd"], 126),
    ]) func whatCannotBeDoneIsTold(_ arguments: [String], _ status: Int) async throws {
      try await Tool.withDirectory { tool, _ in
        let outcome = try await tool.run(list: arguments)
        #expect(outcome.status == Int32(status), "\(outcome.errors)")
        #expect(!outcome.errors.isEmpty)
      }
    }

    @Test func aCommandIsRecordedByTheVariable() async throws {
      try await withStandardServer { server in
        try await Tool.withDirectory { tool, folder in
          let command = try Tool.executable().path
          let outcome = try await tool.run(
            "inspect", "--har", "loads.har", "--no-open", "--", command, server.url("/get").absoluteString,
            server.url("/status/500").absoluteString)
          #expect(outcome.status == 0, "\(outcome.errors)")
          #expect(outcome.errors.contains("inspector: http://127.0.0.1:"))
          #expect(outcome.text.contains("\"method\""))
          let transfers = try HARReading.transfers(Data(contentsOf: folder.appending(path: "loads.har")))
          #expect(transfers.map { $0.response?.status } == [200, 500])
          let picture = try await tool.run("inspect", "--waterfall", "loads.svg", "loads.har")
          #expect(picture.status == 0, "\(picture.errors)")
          #expect(FileManager.default.fileExists(atPath: folder.appending(path: "loads.svg").path))
        }
      }
    }

    @Test func theCommandsStatusIsHandedOn() async throws {
      try await Tool.withDirectory { tool, _ in
        let failed = try await tool.run("inspect", "--end", "--", "sh", "-c", "exit 3")
        #expect(failed.status == 3)
        #expect(failed.errors.contains("has recorded nothing"))
        let killed = try await tool.run("inspect", "--end", "--", "sh", "-c", "kill -9 $$")
        #expect(killed.status == 137)
      }
    }

    /// This process, which tests of the library run in, is asked.
    @Test(.enabled(if: !TestProgram.isEmulated, "\(TestProgram.signalsAreHidden)"))
    func aRunningProcessShowsItsTransfers() async throws {
      try await withStandardServer { server in
        try await Tool.withDirectory { tool, folder in
          let session = URLSession(configuration: .testing())
          defer { session.invalidateAndCancel() }
          _ = try await session.data(from: server.url("/get"))
          let outcome = try await tool.run("inspect", "--no-open", "--har", "loads.har", "\(getpid())") { process in
            let page = try #require(await pageAddress(process))
            _ = try await session.data(from: server.url("/status/204"))
            let (lines, _) = try await session.data(from: page.appending(path: "export.jsonl"))
            #expect(String(decoding: lines, as: UTF8.self).contains("/status/204"))
            process.interrupt()
          }
          #expect(outcome.status == 0, "\(outcome.errors)")
          let transfers = try HARReading.transfers(Data(contentsOf: folder.appending(path: "loads.har")))
          #expect(transfers.contains { $0.response?.status == 204 })
        }
      }
    }

    /// Where a run of the tool says that the page is; nil if it ends without.
    private func pageAddress(_ run: Tool.Running) async -> URL? {
      let end = HangLimit.end
      while ContinuousClock.now < end, run.process.isRunning {
        let text = (try? String(contentsOf: run.errors, encoding: .utf8)) ?? ""
        if text.hasSuffix("\n"), let address = text.split(separator: "\n").first(where: { $0.hasPrefix("inspector: ") })?.dropFirst(11) {
          return URL(string: String(address))
        }
        await Task.yield()
      }
      return nil
    }

    @Test func aProcessThatCannotAnswerIsTold() async throws {
      try await Tool.withDirectory { tool, _ in
        let other = try await tool.run("inspect", "--no-open", "1")
        #expect(other.status == 1 && other.errors.contains("process 1"), "\(other.errors)")
        let none = try await tool.run("inspect", "--no-open", "\(Int32.max)")
        #expect(none.status == 1 && none.errors.contains("there is no process"))
      }
    }

    @Test func theVariableWritesAFileWhenTheProgramExits() async throws {
      try await withStandardServer { server in
        try await Tool.withDirectory { tool, folder in
          let outcome = try await tool.run(server.url("/get").absoluteString, environment: ["URL_LOADING_INSPECT": "out.har"])
          #expect(outcome.status == 0)
          #expect(try HARReading.transfers(Data(contentsOf: folder.appending(path: "out.har"))).count == 1)
        }
      }
    }
  }
#endif
