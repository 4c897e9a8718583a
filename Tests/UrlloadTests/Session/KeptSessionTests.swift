import Foundation
import Testing
import URLLoadingTestKit

@testable import urlload

/// `--session`: what is kept is for the server that it was given for.
@Suite(.timeLimit(.minutes(10))) struct KeptSessionTests {
  /// Runs `body` with two servers, an empty directory, and the variables that keep the tool's files there.
  private func withServers(_ body: (TestServer, TestServer, Tool, [String: String]) async throws -> Void) async throws {
    try await withStandardServer { first async throws in
      try await withStandardServer { second async throws in
        try await Tool.withDirectory { tool, directory async throws in
          try await body(first, second, tool, ["URL_LOADING_SYSTEM_HOME": directory.path])
        }
      }
    }
  }

  private func values(_ name: String, _ server: TestServer) -> [String] { server.requests.compactMap { $0.headers[name] } }

  @Test(arguments: ["kept", "./kept"]) func keptLoginGoesToItsServerAlone(session: String) async throws {
    try await withServers { first, second, tool, home async throws in
      let path = "/basic-auth/ann/secret"
      let (own, other) = (first.url(path).absoluteString, second.url(path).absoluteString)
      #expect(try await tool.run("--session", session, "-f", "-u", "ann:secret", own, environment: home).status == 0)
      _ = try await tool.run("--session", session, own, other, environment: home)
      _ = try await tool.run("--session", session, other, environment: home)
      #expect(values("Authorization", second) == [])
      #expect(try await tool.run("--session", session, "-f", own, environment: home).status == 0)
    }
  }

  @Test(arguments: ["kept", "./kept"]) func keptTokenAndFieldsGoToTheirServerAlone(session: String) async throws {
    try await withServers { first, second, tool, home async throws in
      let (own, other) = (first.url("/get").absoluteString, second.url("/get").absoluteString)
      let options = ["--session", session, "--oauth2-bearer", "token", "-H", "X-Key: secret"]
      #expect(try await tool.run(list: options + [own], environment: home).status == 0)
      #expect(try await tool.run("--session", session, own, other, environment: home).status == 0)
      #expect(try await tool.run("--session", session, other, environment: home).status == 0)
      for name in ["Authorization", "X-Key"] {
        #expect(values(name, first).count == 2)
        #expect(values(name, second) == [])
      }
    }
  }

  @Test func eachServerHasValuesOfItsOwnInOneFile() async throws {
    try await withServers { first, second, tool, home async throws in
      let (one, two) = (first.url("/get").absoluteString, second.url("/get").absoluteString)
      _ = try await tool.run("--session", "./kept", "-H", "X-Key: one", "-H", "X-Both: one", one, environment: home)
      _ = try await tool.run("--session", "./kept", "-H", "X-Key: two", two, environment: home)
      // What the command line says takes the place of what is kept.
      _ = try await tool.run("--session", "./kept", "-H", "x-both: given", one, two, environment: home)
      #expect(values("X-Key", first) == ["one", "one"] && values("X-Key", second) == ["two", "two"])
      #expect(values("X-Both", first) == ["one", "given"] && values("X-Both", second) == ["given"])
    }
  }

  @Test(arguments: [[], ["sse"]]) func redirectElsewhereGetsNoKeptField(command: [String]) async throws {
    try await withServers { first, second, tool, home async throws in
      let events = Reply(headers: ["Content-Type": "text/event-stream"], body: .text("data: x\n\n"))
      second.route("/events", reply: events)
      first.route("/events", reply: events)
      first.route("/away", reply: Reply(302, headers: ["Location": second.url("/events").absoluteString]))
      first.route("/near", reply: Reply(302, headers: ["Location": "/events"]))
      let options = command + ["--session", "kept"] + (command.isEmpty ? [] : ["--once"])
      _ = try await tool.run(list: options + ["-H", "X-Key: secret", first.url("/events").absoluteString], environment: home)
      #expect(try await tool.run(list: options + [first.url("/away").absoluteString], environment: home).status == 0)
      #expect(second.requestCount == 1 && values("X-Key", second) == [])
      #expect(try await tool.run(list: options + [first.url("/near").absoluteString], environment: home).status == 0)
      #expect(values("X-Key", first).count == 4)
    }
  }

  @Test func fileThatNamesNoServerGivesNothingAway() async throws {
    try await withServers { first, _, tool, home async throws in
      let old = #"{"bearer":"token","cookies":"","fields":["X-Key: secret"]}"#
      try Data(old.utf8).write(to: tool.directory.appending(path: "kept"))
      let outcome = try await tool.run("--session-read-only", "./kept", first.url("/get").absoluteString, environment: home)
      #expect(outcome.status == 0)
      #expect(outcome.errors.contains("which server"))
      #expect(values("Authorization", first) == [] && values("X-Key", first) == [])
      // The folder of a session that has a name is that of its host.
      let host = first.url().host() ?? ""
      let folder = tool.directory.appending(path: "urlload/sessions/\(host)_\(first.port)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(old.utf8).write(to: folder.appending(path: "kept.json"))
      for _ in 0..<2 { _ = try await tool.run("--session", "kept", first.url("/get").absoluteString, environment: home) }
      #expect(values("Authorization", first).count == 2 && values("X-Key", first).count == 2)
    }
  }

  @Test func tableKeepsServersApart() throws {
    func url(_ text: String) -> URL? { URL(string: text) }
    var table = ServerTable<Int>()
    table.set(1, for: url("http://a.example/x"))
    table.set(2, for: url("https://b.example:8443/"))
    for text in ["http://A.example/", "http://a.example:80/y", "https://a.example/"] { #expect(table[url(text)] == 1, "\(text)") }
    let others = [
      "http://a.example:8080/", "http://b.example:8443/", "https://b.example/", "ftp://a.example/", "file:///a", "http://a.example.org/",
    ]
    for text in others { #expect(table[url(text)] == nil, "\(text)") }
    #expect(table.isShared(url("http://a.example/"), url("https://a.example/")))
    #expect(!table.isShared(url("http://a.example/"), url("https://b.example:8443/")))
  }
}
