import Foundation
import Testing
import URLLoadingTestKit

/// Cookies given, kept in a jar, and kept in the tool's own store.
@Suite(.timeLimit(.minutes(10))) struct CookieOptionTests {
  private func sent(_ server: TestServer) -> String? { server.requests.last?.headers["Cookie"] }

  @Test func givenCookiesAreSent() async throws {
    try await withStandardServer { server async throws in
      let url = server.url("/get").absoluteString
      #expect(try await Tool().run("-s", "-b", "b=2; a=1", "--cookie", "c=3", url).status == 0)
      #expect(Set(sent(server)?.components(separatedBy: "; ") ?? []) == ["a=1", "b=2", "c=3"])
      #expect(try await Tool().run("-s", url).status == 0)
      #expect(sent(server) == nil)
    }
  }

  @Test func cookiesWithoutANameAreTold() async throws {
    try await withStandardServer { server async throws in
      let url = server.url("/get").absoluteString
      for (cookies, isTold) in [("a=1; d", true), ("=b; a=1", true), ("a=1; ;", false), ("a=1; b=", false)] {
        let outcome = try await Tool().run("-s", "-S", "-b", cookies, url)
        #expect(outcome.status == 0 && sent(server)?.contains("a=1") == true)
        #expect(outcome.errors.contains("without a name") == isTold, "\(cookies): \(outcome.errors)")
      }
    }
  }

  /// As with curl: "Copy as cURL" lines of browsers have their cookies in a field.
  @Test func fieldOfCookiesCountsBeforeAllOthers() async throws {
    try await withStandardServer { server async throws in
      let field = ["-s", "-H", "Cookie: sid=secret"]
      #expect(try await Tool().run(list: field + [server.url("/cookies/set?flavour=oatmeal").absoluteString]).status == 0)
      #expect(server.requestCount == 2 && server.requests.allSatisfy { $0.headers["Cookie"] == "sid=secret" })
      try await Tool.withDirectory { tool, directory async throws in
        let options = field + ["-b", "a=b", "-c", "jar"]
        #expect(try await tool.run(list: options + [server.url("/cookies/set?flavour=oatmeal").absoluteString]).status == 0)
        #expect(sent(server) == "sid=secret")
        #expect(try String(contentsOf: directory.appending(path: "jar"), encoding: .utf8).contains("flavour\toatmeal"))
      }
    }
  }

  @Test func cookiesOfAFileGoWhereTheyBelong() async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        let lines = [
          "# Netscape HTTP Cookie File", "#HttpOnly_127.0.0.1|FALSE|/|FALSE|0|here|1", "127.0.0.1|FALSE|/elsewhere|FALSE|0|path|2",
          "other.example|FALSE|/|FALSE|0|host|3", "127.0.0.1|FALSE|/|TRUE|0|secure|4", "127.0.0.1|FALSE|/|FALSE|1|ended|5",
        ]
        let text = lines.map { $0.replacing("|", with: "\t") }.joined(separator: "\n")
        try Data(text.utf8).write(to: directory.appending(path: "cookies.txt"))
        #expect(try await tool.run("-s", "-b", "cookies.txt", server.url("/get").absoluteString).status == 0)
        #expect(sent(server) == "here=1")
        let missing = try await tool.run("-b", "missing.txt", server.url("/get").absoluteString)
        #expect(missing.status == 26)
        #expect(missing.errors.contains("missing.txt"))
        #expect(server.requestCount == 1)
      }
    }
  }

  @Test func jarIsWrittenAndReadAgain() async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        let jar = directory.appending(path: "jar")
        let first = try await tool.run("-c", "jar", server.url("/cookies/set?flavour=oatmeal").absoluteString)
        #expect(first.text.contains("oatmeal"))
        let permissions = try FileManager.default.attributesOfItem(atPath: jar.path)[.posixPermissions]
        #expect(permissions as? Int == 0o600)
        let text = try String(contentsOf: jar, encoding: .utf8)
        #expect(text.hasPrefix("# Netscape HTTP Cookie File\n"))
        #expect(text.contains("127.0.0.1\tFALSE\t/\tFALSE\t0\tflavour\toatmeal\n"))
        // Read again as a jar, and as a file of cookies that is only read.
        for option in ["-c", "-b"] {
          #expect(try await tool.run(option, "jar", server.url("/cookies").absoluteString).text.contains("oatmeal"))
        }
        let removed = try await tool.run("-c", "jar", server.url("/cookies/delete?flavour").absoluteString)
        #expect(!removed.text.contains("oatmeal"))
        let rest = try String(contentsOf: jar, encoding: .utf8)
        #expect(!rest.contains("flavour"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["jar"])
      }
    }
  }

  @Test func jarThatIsReadMayBeMissing() async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        let url = server.url("/cookies/set?flavour=oatmeal").absoluteString
        let outcome = try await tool.run("-b", "jar", "-c", "jar", "-b", "", url)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let text = try String(contentsOf: directory.appending(path: "jar"), encoding: .utf8)
        #expect(text.contains("\tflavour\toatmeal\n"))
        #expect(try await tool.run("-b", "jar", "-c", "jar", server.url("/cookies").absoluteString).text.contains("oatmeal"))
      }
    }
  }

  @Test func givenCookiesStayOutOfTheJar() async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        let jar = directory.appending(path: "jar")
        let url = server.url("/cookies/set?flavour=oatmeal").absoluteString
        let first = try await tool.run("-b", "secret=1; flavour=none", "-c", "jar", url)
        #expect(first.status == 0, "\(first.errors)")
        var text = try String(contentsOf: jar, encoding: .utf8)
        #expect(text.contains("\tflavour\toatmeal\n") && !text.contains("secret"))
        // What the jar has is sent in another form for one run, and stays in it.
        _ = try await tool.run("-b", "flavour=none", "-c", "jar", server.url("/get").absoluteString)
        #expect(sent(server) == "flavour=none")
        text = try String(contentsOf: jar, encoding: .utf8)
        #expect(text.contains("\tflavour\toatmeal\n") && !text.contains("none"))
      }
    }
  }

  @Test func givenCookiesTakeThePlaceOfASessions() async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        let first = try await tool.run("--session", "./kept", server.url("/cookies/set?flavour=oatmeal&a=1").absoluteString)
        #expect(first.status == 0, "\(first.errors)")
        let cookies = { Set(self.sent(server)?.components(separatedBy: "; ") ?? []) }
        #expect(try await tool.run("-s", "--session", "./kept", server.url("/get").absoluteString).status == 0)
        #expect(cookies() == ["flavour=oatmeal", "a=1"])
        #expect(try await tool.run("-s", "--session", "./kept", "-b", "flavour=mint", server.url("/get").absoluteString).status == 0)
        #expect(cookies() == ["flavour=mint", "a=1"])
        let line = "127.0.0.1\tFALSE\t/\tFALSE\t0\tflavour\tplum"
        try Data(line.utf8).write(to: directory.appending(path: "file"))
        #expect(try await tool.run("-s", "--session", "./kept", "-b", "file", server.url("/get").absoluteString).status == 0)
        #expect(cookies() == ["flavour=plum", "a=1"])
      }
    }
  }

  @Test func jarMayBeStandardOutput() async throws {
    try await withStandardServer { server async throws in
      let outcome = try await Tool().run("--no-location", "-c", "-", server.url("/cookies/set?a=b").absoluteString)
      #expect(outcome.text.hasSuffix("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb\n"))
    }
  }

  @Test func verboseHidesTheValuesOfCookies() async throws {
    try await withStandardServer { server async throws in
      let outcome = try await Tool().run("-v", "-s", "-b", "id=s3cret", server.url("/cookies/set?flavour=oatmeal").absoluteString)
      #expect(outcome.errors.contains("< Set-Cookie: flavour=***"))
      for secret in ["s3cret", "< Set-Cookie: flavour=oatmeal"] { #expect(!outcome.errors.contains(secret)) }
    }
  }

  @Test func keptCookiesAreListedSentAndRemoved() async throws {
    try await withStandardServer { server async throws in
      server.route("/in", reply: Reply(headers: ["Set-Cookie": "login=s3cret; Max-Age=3600; HttpOnly"], body: .text("in")))
      try await Tool.withDirectory { tool, directory async throws in
        let place = ["URL_LOADING_SYSTEM_HOME": directory.path]
        func text(_ arguments: String...) async throws -> String { try await tool.run(list: arguments, environment: place).text }
        #expect(try await text("--keep-cookies", server.url("/in").absoluteString) == "in")
        let list = try await text("cookies")
        #expect(list.contains("127.0.0.1") && list.contains("login") && list.contains("HttpOnly") && list.hasSuffix("1 cookie\n"))
        #expect(!list.contains("s3cret"))
        #expect(try await text("cookies", "ls", "--values", "127.0.0.1").contains("login=s3cret"))
        #expect(try await text("cookies", "ls", "--netscape").contains("\tlogin\ts3cret\n"))
        #expect(try await text("cookies", "ls", "other.example") == "0 cookies\n")
        #expect(try await text("--keep-cookies", server.url("/cookies").absoluteString).contains("s3cret"))
        // Not without being asked to.
        let unasked = try await text(server.url("/cookies").absoluteString)
        #expect(!unasked.contains("s3cret"))
        #expect(try await text("cookies", "rm", "127.0.0.1") == "")
        #expect(try await text("cookies", "ls") == "0 cookies\n")
      }
    }
  }
}
