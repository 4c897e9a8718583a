import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@testable import urlload

/// `-T` with `-C -`: uploads that a server lets a client resume.
@Suite(.timeLimit(.minutes(10))) struct UploadResumeTests {
  private let content = ResumeTests.pattern(4_000_000)
  private let upload = ["-C", "-", "-T", "file", "-H", "Expect:"]

  private func withUpload(
    _ faults: [UploadServer.Fault], _ body: @Sendable (UploadServer, String, Tool, URL) async throws -> Void
  ) async throws {
    try await UploadServer.with(faults) { server, url in
      try await Tool.withDirectory { tool, directory in
        try content.write(to: directory.appending(path: "file"))
        try await body(server, url.absoluteString, tool, directory)
      }
    }
  }

  private func records(in directory: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil).filter { $0.pathExtension == "json" }
  }

  private func recordName(_ url: String, _ user: String? = nil) -> String {
    UploadPlace.recordPath("file", URLIdentity(url, user: user))
  }

  /// Begins an upload, and ends the tool by a signal once the server has a part of it.
  private func interrupt(
    by signal: Int32, _ server: UploadServer, _ url: String, _ tool: Tool, _ directory: URL
  ) async throws -> Tool.Outcome {
    let record = try FileArrival(recordName(url), in: directory)
    return try await tool.run(list: upload + [url]) { process in
      try await server.stalled.reached()
      #expect(await record.wait())
      process.send(signal)
    }
  }

  @Test(arguments: [(SIGKILL, SIGKILL), (SIGINT, 130)] as [(Int32, Int32)])
  func interruptedUploadGoesOnWithWhatTheServerHas(signal: Int32, status: Int32) async throws {
    try await withUpload([.stall(after: 1_000_000)]) { server, url, tool, directory in
      let cut = try await interrupt(by: signal, server, url, tool, directory)
      #expect(cut.status == status, "\(cut.errors)")
      let record = try #require(try records(in: directory).first)
      #expect(try FileManager.default.attributesOfItem(atPath: record.path)[.posixPermissions] as? Int == 0o600)
      let rest = try await tool.run(list: upload + [url])
      #expect(rest.status == 0, "\(rest.errors)")
      // Byte for byte: nothing was sent twice.
      let (arrived, isComplete) = server.state.withLock { ($0.content, $0.isComplete) }
      // Compared outside of the expectation, which would look for the differences of millions of bytes.
      let isWhole = isComplete && arrived == content
      #expect(isWhole, "\(arrived.count) of \(content.count) bytes")
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
    }
  }

  @Test func recordHoldsNoCredentials() async throws {
    try await withUpload([.stall(after: 1_000_000)]) { server, url, tool, directory in
      let login = ["--basic", "-u", "ada:lovelace", "-H", "X-Token: hush"]
      let named = url.replacingOccurrences(of: "http://", with: "http://eve:apple@")
      let record = try FileArrival(recordName(named, "ada"), in: directory)
      _ = try await tool.run(list: upload + login + [named]) { process in
        #expect(await record.wait())
        process.kill()
      }
      let text = try String(contentsOf: #require(try records(in: directory).first), encoding: .utf8)
      for secret in ["lovelace", "hush", "apple", "Authorization"] { #expect(!text.contains(secret)) }
    }
  }

  @Test func uploadOfOneUserIsNotThatOfAnother() async throws {
    try await withUpload([.stall(after: 1_000_000)]) { server, url, tool, directory in
      let (first, second) = (url.replacing("http://", with: "http://alice@"), url.replacing("http://", with: "http://bob@"))
      _ = try await interrupt(by: SIGKILL, server, first, tool, directory)
      let record = try #require(try records(in: directory).first)
      let content = try Data(contentsOf: record)
      let request = URLRequest(url: try #require(URL(string: second)))
      let place = UploadPlace(directory.appending(path: "file").path, request, keeps: true)
      #expect(!place.isKnown)
      // As behind a refusal.
      place.forget()
      #expect(try Data(contentsOf: record) == content)
      let own = URLRequest(url: try #require(URL(string: first)))
      #expect(UploadPlace(directory.appending(path: "file").path, own, keeps: true).isKnown)
    }
  }

  @Test(
    arguments: [
      (["-u", "alice:x"], ["-u", "bob:y"]), (["--netrc-file", "netrc"], ["-u", "bob:y"]),
      (["-H", "Authorization: Basic YWxpY2U6eg=="], ["--oauth2-bearer", "t0ken"]),
    ] as [([String], [String])])
  func uploadIsThatOfTheUser(own: [String], other: [String]) async throws {
    try await withUpload([.stall(after: 1_000_000)]) { server, url, tool, directory in
      try Data("machine 127.0.0.1 login alice password x".utf8).write(to: directory.appending(path: "netrc"))
      let arrival = try FileArrival(recordName(url, "alice"), in: directory)
      _ = try await tool.run(list: upload + own + [url]) { process in
        try await server.stalled.reached()
        #expect(await arrival.wait())
        process.kill()
      }
      let record = try #require(try records(in: directory).first)
      let known = try String(contentsOf: record, encoding: .utf8)
      let before = server.state.withLock { $0.content.count }
      #expect(try await tool.run(list: upload + other + [url]).status == 0)
      #expect(server.state.withLock { $0.content.count - before } == content.count)
      #expect(try String(contentsOf: record, encoding: .utf8) == known)
    }
  }

  @Test func recordOfAnOlderVersionIsFoundWithoutALogin() async throws {
    try await Tool.withDirectory { _, directory in
      let (path, url) = (directory.appending(path: "file").path, try #require(URL(string: "https://h/a")))
      try Data("x".utf8).write(to: directory.appending(path: "file"))
      let file = try String(decoding: JSONEncoder().encode(#require(SentFile(path))), as: UTF8.self)
      // Older versions knew the URL's user alone: SHA-256 of "https://h/a".
      let key = "616e3352b314cc4b59220a28abeeed9d79b809ae62ec3e54b7daebd2c8de26ac"
      let record = #"{"file":\#(file),"key":"\#(key)","location":"https://h/1","target":"https://h/a","url":"https://h/a","version":8}"#
      try Data(record.utf8).write(to: URL(filePath: "\(path).upload-\(key.prefix(8)).json"))
      #expect(UploadPlace(path, URLRequest(url: url), keeps: true).isKnown)
      #expect(!UploadPlace(path, URLRequest(url: url), user: "alice", keeps: true).isKnown)
    }
  }

  @Test(arguments: [["-T", "file"], ["-X", "POST", "--data-binary", "@file"], ["-X", "POST", "--json", "@file"]])
  func cutUploadGoesOnByItself(_ arguments: [String]) async throws {
    try await withUpload([.close(after: 1_000_000)]) { server, url, tool, directory in
      let outcome = try await tool.run(list: arguments + ["-H", "Expect:", url])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let isWhole = server.state.withLock { $0.isComplete && $0.content == content }
      #expect(isWhole)
    }
  }

  @Test func changedFileIsSentAnew() async throws {
    try await withUpload([.stall(after: 1_000_000)]) { server, url, tool, directory in
      _ = try await interrupt(by: SIGKILL, server, url, tool, directory)
      let changed = Data(content.reversed())
      try changed.write(to: directory.appending(path: "file"))
      let before = server.state.withLock { $0.content.count }
      let outcome = try await tool.run(list: upload + [url])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(server.state.withLock { $0.content.dropFirst(before) == changed })
      #expect(try records(in: directory).isEmpty)
    }
  }

  @Test func serverThatHasForgottenGetsItAnew() async throws {
    try await withUpload([.stall(after: 1_000_000)]) { server, url, tool, directory in
      _ = try await interrupt(by: SIGKILL, server, url, tool, directory)
      let path = try #require(try records(in: directory).first).path
      var record = try #require(Sidecar.load(UploadRecord.self, path))
      record.location = try #require(URL(string: url)).appending(path: "nowhere")
      try Sidecar.save(record, path)
      let before = server.state.withLock { $0.content.count }
      let outcome = try await tool.run(list: upload + [url])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("begins anew"))
      #expect(server.state.withLock { $0.content.dropFirst(before) == content })
      #expect(try records(in: directory).isEmpty)
    }
  }

  @Test func lostAnswerToAWholeUploadIsNoFailure() async throws {
    let scripts: [[RawStep]] = [
      [
        .read(until: "\r\n\r\n"), .send("HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /kept/1\r\n\r\n"), .read(until: "END"),
        .close,
      ],
      [.read(until: "\r\n\r\n"), .send("HTTP/1.1 204 No Content\r\nUpload-Complete: ?1\r\nUpload-Offset: 9\r\n\r\n")],
    ]
    try await TestServer.with(.rawInTurn(scripts)) { server in
      try await Tool.withDirectory { tool, directory in
        try Data("begin-END".utf8).write(to: directory.appending(path: "file"))
        let outcome = try await tool.run(list: upload + [server.url("/x").absoluteString])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try records(in: directory).isEmpty)
      }
    }
  }

  @Test(
    arguments: [
      (["-X", "POST"], 33, 1), (["-X", "POST", "--retry", "1"], 0, 2), (["-X", "POST", "-C", "-"], 0, 2), ([], 0, 2),
    ] as [([String], Int32, Int)])
  func postWhosePlaceIsLostIsSentAgainOnlyIfTheUserSaysSo(options: [String], status: Int32, count: Int) async throws {
    let scripts: [[RawStep]] = [
      [
        .read(until: "\r\n\r\n"), .send("HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /kept/1\r\n\r\n"), .read(until: "END"),
        .close,
      ],
      // The server doesn't know the place any more.
      [.read(until: "\r\n\r\n"), .send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), .close],
      [
        .read(until: "END"), .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), .close,
      ],
    ]
    try await TestServer.with(.rawInTurn(scripts)) { server in
      try await Tool.withDirectory { tool, directory in
        try Data("begin-END".utf8).write(to: directory.appending(path: "file"))
        let outcome = try await tool.run(
          list: options + ["--retry-delay", "0", "-T", "file", "-H", "Expect:", server.url("/x").absoluteString])
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(server.acceptedConnections == count + 1)
        #expect(outcome.errors.contains("to send it all again") == (status != 0))
      }
    }
  }

  @Test func refusalIsAFailureAndLeavesNothing() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        try Data("x".utf8).write(to: directory.appending(path: "file"))
        server.route("/x", reply: .text("no", status: 403))
        let outcome = try await tool.run("-C", "-", "-T", "file", server.url("/x").absoluteString)
        #expect((outcome.status, outcome.text) == (22, ""), "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
      }
    }
  }
}
