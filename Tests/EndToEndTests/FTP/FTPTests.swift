import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// FTP against scripts of exact replies: they run everywhere.
@Suite(.timeLimit(.minutes(10))) struct FTPTests {
  private func serve(
    data: [RawStep], control: @escaping (Int) -> [[RawStep]], _ body: (TestServer, TestServer, URL, URLSession) async throws -> Void
  ) async throws {
    try await FTPScript.serve(data: [data], control: control) { try await body($0.server, $0.data, $0.url, $0.session) }
  }

  @Test func fileIsFetchedWithItsSizeAndType() async throws {
    try await serve(data: [.send("hello"), .close], control: { [FTPScript.retrieving(5, $0)] }) { _, _, url, session async throws in
      let (data, response) = try await session.data(from: url.appending(path: "a.txt"))
      #expect(data == Data("hello".utf8))
      #expect(response.mimeType == "text/plain")
      #expect(response.expectedContentLength == 5)
      #expect(!(response is HTTPURLResponse))
    }
  }

  @Test(arguments: [("Sun, 06 Nov 1994 08:49:37 GMT", true), ("Sun, 06 Nov 1994 08:49:38 GMT", false)])
  func rangeOfAnUnchangedFileIsResumed(_ condition: String, _ isResumed: Bool) async throws {
    let rest = isResumed ? FTPScript.answer("REST 3", "350 ok") : []
    try await serve(
      data: [.send(isResumed ? "lo" : "hello"), .close], control: { [FTPScript.retrieving(5, $0, resume: rest)] }
    ) { _, _, url, session async throws in
      var request = URLRequest(url: url.appending(path: "a.txt"))
      request.setValue("bytes=3-", forHTTPHeaderField: "Range")
      request.setValue(condition, forHTTPHeaderField: "If-Range")
      let (data, response) = try await session.data(for: request)
      #expect(data == Data((isResumed ? "lo" : "hello").utf8))
      #expect(response.expectedContentLength == Int64(data.count))
    }
  }

  /// The table of places names the control connection's; data goes where that one's peer says.
  @Test(arguments: ["*", ":21", "files.test"]) func otherPlacesAreNotForData(_ key: String) async throws {
    try await serve(data: [.send("hello"), .close], control: { [FTPScript.retrieving(5, $0)] }) { server, _, _, _ async throws in
      let configuration = URLSessionConfiguration.testing()
      configuration.nameResolution.connectTo = [key: "127.0.0.1:\(server.port)"]
      let session = URLSession(configuration: configuration)
      #expect(try await session.data(from: try #require(URL(string: "ftp://files.test/a.txt"))).0 == Data("hello".utf8))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [(9, "226 done"), (5, "451 disk")]) func brokenTransferIsAnError(_ size: Int, _ end: String)
    async throws
  {
    try await serve(
      data: [.send("hello"), .close], control: { [FTPScript.retrieving(size, $0, end: end)] }
    ) { _, _, url, session async throws in
      let error = await session.failure(of: url.appending(path: "a.txt"))
      #expect(error?.code == (end.hasPrefix("451") ? .resourceUnavailable : .networkConnectionLost))
    }
  }

  private func asking(_ size: String, _ time: String) -> [RawStep] {
    FTPScript.login + FTPScript.answer("TYPE I", "200 ok") + FTPScript.answer("SIZE a.txt", size) + FTPScript.answer("MDTM a.txt", time)
      + [.readToEnd]
  }

  @Test(arguments: [
    ("550 no such file", URLError.Code.fileDoesNotExist), ("550 could not get file size", .fileDoesNotExist),
    ("550 permission denied", .noPermissionsToReadFile),
  ]) func headOfAMissingFileFails(_ reply: String, _ code: URLError.Code) async throws {
    let control = asking(reply, "550 no")
    try await serve(data: [], control: { _ in [control] }) { _, _, url, session async throws in
      var request = URLRequest(url: url.appending(path: "a.txt"))
      request.httpMethod = "HEAD"
      #expect(await session.failure(of: request)?.code == code)
    }
  }

  /// A server that knows neither command leaves open whether there is a file.
  @Test(arguments: [("550 not now", "213 19941106084937", -1), ("213 5", "550 no", 5), ("500 what?", "500 what?", -1)])
  func headOfAFileThatMayExistSucceeds(_ size: String, _ time: String, _ length: Int64) async throws {
    let control = asking(size, time)
    try await serve(data: [], control: { _ in [control] }) { _, _, url, session async throws in
      var request = URLRequest(url: url.appending(path: "a.txt"))
      request.httpMethod = "HEAD"
      let (data, response) = try await session.data(for: request)
      #expect(data.isEmpty)
      #expect(response.expectedContentLength == length)
    }
  }

  @Test func folderIsListedByPassiveModeAtTheControlConnectionsHost() async throws {
    let control: (Int) -> [[RawStep]] = { port in
      // The address in the reply is another machine's.
      let passive = "227 Entering Passive Mode (192,0,2,1,\(port >> 8),\(port & 0xFF))"
      return [
        FTPScript.login + FTPScript.answer("CWD d", "250 ok") + FTPScript.answer("TYPE A", "200 ok") + FTPScript.answer("EPSV", "500 what?")
          + FTPScript.answer("PASV", passive) + FTPScript.answer("LIST", "125 here\r\n226 done")
      ]
    }
    try await serve(data: [.send("one\r\n"), .close], control: control) { _, _, url, session async throws in
      let (data, response) = try await session.data(from: url.appending(path: "d/"))
      #expect(data == Data("one\r\n".utf8))
      #expect(response.mimeType == "text/plain")
    }
  }

  @Test func fileIsStored() async throws {
    let control: (Int) -> [[RawStep]] = { port in
      [
        FTPScript.login + FTPScript.answer("TYPE I", "200 ok") + FTPScript.answer("EPSV", "229 ok (|||\(port)|)")
          + FTPScript.answer("STOR b.txt", "150 go\r\n226 done")
      ]
    }
    try await serve(data: [.readToEnd], control: control) { _, data, url, session async throws in
      var request = URLRequest(url: url.appending(path: "b.txt"))
      request.httpMethod = "PUT"
      request.httpBody = Data("stored".utf8)
      _ = try await session.data(for: request)
      #expect(try await data.waitForBytes(6) == Data("stored".utf8))
    }
  }

  @Test func refusedLoginIsAChallenge() async throws {
    let refused = FTPScript.answer("PASS wrong", "530 no")
    let control: (Int) -> [[RawStep]] = { port in
      [
        [.send("220 hi\r\n")] + FTPScript.answer("USER me", "331 ?") + refused,
        [.send("220 hi\r\n")] + FTPScript.answer("USER me", "331 ?") + FTPScript.answer("PASS right", "230 in")
          + Array(FTPScript.retrieving(5, port).dropFirst(FTPScript.login.count)),
      ]
    }
    try await serve(data: [.send("hello"), .close], control: control) { _, _, url, session async throws in
      let answerer = ChallengeAnswerer("me", "right")
      let named = try #require(URL(string: "ftp://me:wrong@127.0.0.1:\(url.port ?? 0)/a.txt"))
      let (data, _) = try await session.data(from: named, delegate: answerer)
      #expect(data == Data("hello".utf8))
      #expect(answerer.asked.map(\.method) == [NSURLAuthenticationMethodDefault])
      #expect(answerer.asked.map(\.failures) == [1])
    }
  }

  @Test func cancelledAndUnansweredLoginsAreErrors() async throws {
    let control: (Int) -> [[RawStep]] = { _ in
      Array(repeating: [.send("220 hi\r\n")] + FTPScript.answer("USER anonymous", "530 no guests"), count: 2)
    }
    try await serve(data: [], control: control) { _, _, url, session async throws in
      #expect(await session.failure(of: url)?.code == .userAuthenticationRequired)
      let answerer = ChallengeAnswerer { _ in (.cancelAuthenticationChallenge, nil) }
      #expect(await session.failure(of: URLRequest(url: url), delegate: answerer)?.code == .cancelled)
      #expect(answerer.asked.map(\.failures) == [0])
    }
  }

  @Test(arguments: ["220 hi", "421 busy\r\n", "HTTP/1.1 400 no\r\n\r\n", ""]) func serverThatDoesntSpeakFTPIsAnError(_ greeting: String)
    async throws
  {
    try await serve(data: [], control: { _ in [[.send(greeting), .close]] }) { _, _, url, session async throws in
      let code = await session.failure(of: url)?.code
      #expect(code == (greeting.hasPrefix("HTTP") ? .cannotParseResponse : .networkConnectionLost))
    }
  }

  @Test func cancelledLoadClosesItsConnections() async throws {
    try await serve(data: [.send("hel")], control: { [FTPScript.retrieving(5, $0)] }) { server, dataServer, url, session async throws in
      let task = Task { try await session.data(from: url.appending(path: "a.txt")) }
      try await dataServer.waitForConnections(accepted: 1)
      task.cancel()
      #expect(await task.result.failureCode == .cancelled)
      try await server.waitForConnections(open: 0)
      try await dataServer.waitForConnections(open: 0)
    }
  }
}

extension Result where Failure == any Error {
  fileprivate var failureCode: URLError.Code? {
    if case .failure(let error) = self { (error as? URLError)?.code } else { nil }
  }
}
