import Foundation
import Testing
import URLLoadingTestKit

@testable import urlload

@Suite(.timeLimit(.minutes(10))) struct WriteOutTests {
  private func text(_ format: String, hasFailed: Bool = false) throws -> [String] {
    var values = WriteOutValues()
    values.set("http_code", 0, width: 3)
    values.set("size_download", 12)
    values.set("time_total", seconds: 0.25)
    values.set("url", "http://a/\"")
    values.set("errormsg", nil)
    values.headers = [("X-A", "1"), ("x-a", "2")]
    values.hasFailed = hasFailed
    return try WriteOut(format).pieces(values).map { "\($0.descriptor)\($0.text)" }
  }

  @Test func variablesAndEscapesAreReplaced() throws {
    #expect(try text(#"%{http_code} %{size_download}\t%{time_total}\n"#) == ["1000 12\t0.250000\n"])
    #expect(try text(#"100%% %{nothing}|%{errormsg}|\x%"#) == [#"1100% ||\x%"#])
    #expect(try text("%header{X-a}") == ["11"])
    #expect(try text("%{header_json}") == ["1{\"x-a\":[\"1\",\"2\"]\n}"])
    #expect(try text("a%{stderr}b%{stdout}c") == ["1a", "2b", "1c"])
    #expect(try text("a%{onerror}b") == ["1a"])
    #expect(try text("a%{onerror}b", hasFailed: true) == ["1ab"])
    #expect(
      try text("%{json}")
        == [#"1{"errormsg":null,"http_code":0,"size_download":12,"time_total":0.250000,"url":"http://a/\""}"#])
  }

  @Test func statusBehindARedirectToNowhereIsItsOwn() async throws {
    try await withStandardServer { server async throws in
      server.route("/away", reply: Reply(302, headers: ["Location": "http://127.0.0.1:1/"]))
      let outcome = try await Tool().run("-s", "-w", "%{http_code} %{response_code}", server.url("/away").absoluteString)
      #expect(outcome.status == 7 && outcome.text == "302 302")
    }
  }

  @Test func bodyThatIsDroppedHasNoSize() async throws {
    try await withStandardServer { server async throws in
      server.route("/missing", reply: Reply(404, body: .text("nothing here")))
      for (option, text) in [("-f", "404 0"), ("--fail-with-body", "404 12"), ("-v", "404 12")] {
        let outcome = try await Tool().run(
          "-s", option, "-o", "/dev/null", "-w", "%{http_code} %{size_download}", server.url("/missing").absoluteString)
        #expect(outcome.text == text, "\(option)")
      }
    }
  }

  @Test func listOfVariablesIsComplete() {
    let values = LoadReport(LoadTarget(url: "http://a/", isCompleted: false, destination: .standardOutput)).values
    let found = Set(values.values.keys).union(values.absent)
    #expect(WriteOut.variables == found.union(["header_json", "json", "onerror", "stderr", "stdout"]))
  }

  @Test func unknownVariablesAreTold() async throws {
    #expect(try WriteOut("%%{a} %{url}%header{x}%{json} %{").complaints.isEmpty)
    #expect(try WriteOut("%%%{typo}%output{f}%time{%s}").complaints.count == 3)
    try await withStandardServer { server in
      let outcome = try await Tool().run("-s", "-w", "%{typo}%{http_code}", "-o", "/dev/null", server.url("/bytes/5").absoluteString)
      #expect(outcome.status == 0 && outcome.text == "200")
      #expect(outcome.errors.contains("'typo'"), "\(outcome.errors)")
    }
  }

  @Test func urlsAndRetriesAreNumbered() async throws {
    try await withStandardServer { server in
      let urls = ["/bytes/[1-2]", "/status/503"].map { "\(server.url("/").absoluteString.dropLast())\($0)" }
      let outcome = try await Tool().run(
        list: ["-s", "-o", "/dev/null", "--retry", "2", "--retry-delay", "0", "-w", "%{urlnum}.%{num_retries} "] + urls)
      #expect(outcome.text == "0.0 0.0 1.2 ", "\(outcome.errors)")
    }
  }

  @Test func formatInAFileCountsWithoutItsLineEnds() async throws {
    try await Tool.withDirectory { _, directory in
      let file = directory.appending(path: "format")
      try Data("%{http_code}\\n\r\n  %{size_download}\n".utf8).write(to: file)
      #expect(try text("@\(file.path)") == ["1000\n  12"])
    }
  }

  @Test func redirectsThatWereFollowedAreCounted() async throws {
    try await withStandardServer { server async throws in
      server.route("/here", reply: Reply(302, headers: ["Location": "/there"]))
      server.route("/there", reply: Reply(307, headers: ["Location": "/bytes/1"]))
      server.route("/same", reply: Reply(304))
      for (arguments, count) in [
        (["/here"], "2"), (["--no-location", "/here"], "0"), (["/same"], "0"), (["--max-redirs", "1", "/here"], "1"),
      ] {
        let list = arguments.map { $0.hasPrefix("/") ? server.url($0).absoluteString : $0 }
        #expect(try await Tool().run(list: ["-s", "-o", "/dev/null", "-w", "%{num_redirects}"] + list).text == count, "\(arguments)")
      }
    }
  }

  @Test func loadsAreToldWithTheirFigures() async throws {
    try await withStandardServer { server in
      let url = server.url("/bytes/5").absoluteString
      let outcome = try await Tool().run(
        "-s", "-w", #"\n%{http_code} %{size_download} %{num_connects} %{http_version} %{url_effective}\n"#, url)
      #expect(outcome.text == "abcde\n200 5 1 1.1 \(url)\n")
      let failed = try await Tool().run("-s", "-w", "%{http_code} %{exitcode}", "http://127.0.0.1:1/")
      #expect(failed.text == "000 7" && failed.status == 7)
    }
  }

  @Test func failureBehindARedirectIsToldWithItsURL() async throws {
    try await withStandardServer { server in
      server.route("/here", reply: Reply(302, headers: ["Location": "http://127.0.0.1:1/there"]))
      let outcome = try await Tool().run("-s", "-w", "%{url_effective} %{num_redirects}", server.url("/here").absoluteString)
      #expect(outcome.text == "http://127.0.0.1:1/there 1")
      #expect(outcome.status == 7)
    }
  }

  @Test func connectingIsTimedThoughARedirectUsesTheConnectionAgain() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run(
        "-s", "-o", "/dev/null", "-w", "%{num_connects} %{num_redirects} %{time_connect}", server.url("/relative-redirect/1").absoluteString
      )
      let words = outcome.text.split(separator: " ")
      #expect(words.count == 3 && words[0] == "1" && words[1] == "1", "\(outcome.text)")
      #expect(words.last.flatMap { Double($0) } ?? 0 > 0, "\(outcome.text)")
    }
  }

  @Test func filesAndDataHaveTheirSize() async throws {
    try await Tool.withDirectory { tool, directory in
      try Data("hello".utf8).write(to: directory.appending(path: "f"))
      for (url, size) in [("file://\(directory.path)/f", "5"), ("data:,abc", "3")] {
        #expect(try await tool.run("-s", "-o", "/dev/null", "-w", "%{size_download}", url).text == size)
      }
    }
  }

  @Test func metricsAreAnObjectToo() async throws {
    struct Shown: Decodable {
      struct Transaction: Decodable {
        struct Phase: Decodable { var name: String }
        var status: Int?
        var phases: [Phase]
      }
      var exitCode: Int
      var transactions: [Transaction]
    }
    try await withStandardServer { server in
      let outcome = try await Tool().run("-s", "--metrics=json", server.url("/relative-redirect/1").absoluteString)
      let shown = try JSONDecoder().decode(Shown.self, from: Data(outcome.errors.utf8))
      #expect(shown.exitCode == 0 && shown.transactions.map(\.status) == [302, 200])
      #expect(try #require(shown.transactions.first).phases.map(\.name).contains("connect"))
    }
  }

  @Test func progressIsObjectsALine() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, _ in
        let outcome = try await tool.run("--progress=json", "-o", "f", server.url("/bytes/5").absoluteString)
        let last = outcome.errors.split(separator: "\n").last.map(String.init) ?? ""
        #expect(last.contains("\"received\":5") && last.contains("\"isComplete\":true"), "\(outcome.errors)")
      }
    }
  }
}
