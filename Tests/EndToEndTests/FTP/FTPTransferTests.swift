import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// How transfers over FTP end, and the ways to a data connection.
@Suite(.timeLimit(.minutes(10))) struct FTPTransferTests {
  private func passive(_ port: Int) -> [RawStep] {
    // The address in the reply is another machine's.
    FTPScript.answer("PASV", "227 Entering Passive Mode (192,0,2,1,\(port >> 8),\(port & 0xFF))")
  }

  /// Returns when `bytes` grows no more.
  private func settle(_ bytes: @escaping () -> Int) async throws {
    try await TestServer.with { try await EndToEndTests.settle($0, watching: bytes) }
  }

  // MARK: the end of a transfer

  @Test(arguments: [
    ("426 broken off", URLError.networkConnectionLost), ("451 disk", .resourceUnavailable), ("421 timeout", .networkConnectionLost),
  ])
  func replyThatBytesAreMissingIsAnErrorHoweverManyHaveCome(_ end: String, _ code: URLError.Code) async throws {
    try await FTPScript.serve(data: [[.send("hello"), .close]], control: { [FTPScript.retrieving(5, $0, end: end)] }) {
      ground async throws in
      #expect(await ground.session.failure(of: ground.file)?.code == code)
    }
  }

  @Test func controlConnectionThatIsForgottenAfterTheLastByteIsNoError() async throws {
    let control: (Int) -> [[RawStep]] = { port in
      [FTPScript.finding(5) + FTPScript.passive(port) + FTPScript.answer("RETR a.txt", "150 here") + [.close]]
    }
    try await FTPScript.serve(data: [[.send("hello"), .close]], control: control) { ground async throws in
      #expect(try await ground.session.data(from: ground.file).0 == Data("hello".utf8))
    }
    try await FTPScript.serve(data: [[.send("hell"), .close]], control: control) { ground async throws in
      #expect(await ground.session.failure(of: ground.file)?.code == .networkConnectionLost)
    }
  }

  @Test func storingEndsWithTheServersWord() async throws {
    func fails(data: [RawStep], _ end: [RawStep], _ code: URLError.Code) async throws {
      try await FTPScript.serve(data: [data], control: { [FTPScript.storing($0, end: end)] }) { ground async throws in
        let request = URLRequest("PUT", ground.url.appending(path: "b.txt"), body: Data(repeating: 7, count: 16 << 20))
        #expect(await ground.session.failure(of: request)?.code == code)
        try await ground.data.waitForConnections(open: 0)
        try await ground.server.waitForConnections(open: 0)
      }
    }
    try await fails(data: [.readToEnd], [.send("552 full\r\n")], .cannotWriteToFile)
    try await fails(data: [.readToEnd], [.close], .networkConnectionLost)
    // The server's reason, not the broken pipe.
    try await fails(data: [.read(count: 1000), .reset], [.send("552 full\r\n")], .cannotWriteToFile)
    try await fails(data: [.read(count: 1000), .close], [.send("226 enough\r\n")], .networkConnectionLost)
  }

  // MARK: ways to a data connection

  @Test func portThatRefusesIsAskedForAnew() async throws {
    let closed = try ClosedPort()
    defer { withExtendedLifetime(closed) {} }
    try await FTPScript.serve(data: [[.send("hello"), .close]]) { port in
      [FTPScript.finding(5) + FTPScript.passive(closed.number) + passive(port) + FTPScript.answer("RETR a.txt", "150 here\r\n226 done")]
    } _: { ground async throws in
      #expect(try await ground.session.data(from: ground.file).0 == Data("hello".utf8))
    }
  }

  @Test func portThatRefusesInBothModesIsAnError() async throws {
    let closed = try ClosedPort()
    defer { withExtendedLifetime(closed) {} }
    try await FTPScript.serve(data: []) { _ in
      [FTPScript.finding(5) + FTPScript.passive(closed.number) + passive(closed.number)]
    } _: { ground async throws in
      #expect(await ground.session.failure(of: ground.file)?.code == .cannotConnectToHost)
      try await ground.server.waitForConnections(open: 0)
    }
  }

  @Test func portThatStaysSilentIsAskedForAnewAfterTenSeconds() async throws {
    let silent = try SilentPort()
    let clock = ManualClock()
    try await FTPScript.serve(
      data: [[.send("hello"), .close]],
      control: { port in
        [FTPScript.finding(5) + FTPScript.passive(silent.number) + passive(port) + FTPScript.answer("RETR a.txt", "150 here\r\n226 done")]
      }, configuration: .testing(clock: clock)
    ) { ground async throws in
      async let loaded = ground.session.data(from: ground.file).0
      try await clock.waitForWake(within: 10)
      clock.advance(by: 10)
      #expect(try await loaded == Data("hello".utf8))
    }
  }

  /// A server without ports of its own, up to the one it is told to connect to.
  private static var active: [RawStep] {
    ["EPSV", "PASV"].flatMap { FTPScript.answer($0, "500 no") }
      + [.read(until: "EPRT |1|127.0.0.1|"), .read(until: "\r\n"), .send("200 ok\r\n")]
  }

  @Test func serverThatNeverConnectsIsATimeout() async throws {
    let clock = ManualClock()
    let gate = Gate()
    try await FTPScript.serve(
      data: [], control: { _ in [FTPScript.finding(5) + Self.active + FTPScript.answer("RETR a.txt", "150 soon") + [.wait(gate)]] },
      configuration: .testing(clock: clock)
    ) { ground async throws in
      async let code = ground.session.failure(of: ground.file)?.code
      try await gate.reached()
      // The server's last reply may still be on its way, and counts as activity.
      for _ in 0..<1000 where ground.server.openConnections > 0 {
        clock.advance(by: 60)
        await ground.session.barrier()
      }
      #expect(await code == .timedOut)
      gate.open()
    }
  }

  @Test(arguments: [("RETR a.txt", "425 no way", URLError.Code.cannotConnectToHost), ("RETR a.txt", "550 gone", .noPermissionsToReadFile)])
  func serverThatCannotConnectIsBelieved(_ command: String, _ reply: String, _ code: URLError.Code) async throws {
    let clock = ManualClock()
    try await FTPScript.serve(
      data: [], control: { _ in [FTPScript.finding(5) + Self.active + FTPScript.answer(command, "150 soon\r\n\(reply)")] },
      configuration: .testing(clock: clock)
    ) { ground async throws in
      // The clock doesn't advance: nothing times out.
      #expect(await ground.session.failure(of: ground.file)?.code == code)
      try await ground.server.waitForConnections(open: 0)
    }
  }

  @Test func serverThatLeavesInsteadOfConnectingIsALostConnection() async throws {
    try await FTPScript.serve(
      data: [], control: { _ in [FTPScript.finding(5) + Self.active + FTPScript.answer("RETR a.txt", "150 soon") + [.close]] },
      configuration: .testing(clock: ManualClock())
    ) { ground async throws in
      #expect(await ground.session.failure(of: ground.file)?.code == .networkConnectionLost)
    }
  }

  /// In active mode, a server connects twice before it says what becomes of the transfer.
  @Test(arguments: [("150 here\r\n226 done", "hello"), ("550 gone", nil)] as [(String, String?)])
  func connectionsOfTheServerThatAreNotUsedAreClosed(_ reply: String, _ content: String?) async throws {
    let gate = Gate()
    let transfer: [RawStep] = [.read(until: "RETR a.txt\r\n"), .wait(gate), .send(reply + "\r\n")]
    try await FTPScript.serve(data: [], control: { _ in [FTPScript.finding(5) + Self.active + transfer] }) { ground async throws in
      let load = Task { try? await ground.session.data(from: ground.file).0 }
      try await gate.reached()
      let commands = String(decoding: ground.server.received(), as: UTF8.self)
      let port = try #require(commands.split(separator: "EPRT |1|127.0.0.1|").last.flatMap { Int($0.prefix { $0.isNumber }) })
      let first = ground.session.streamTask(withHostName: "127.0.0.1", port: port)
      first.resume()
      // Returns when it is connected.
      try await first.write(Data(), timeout: 0)
      let second = ground.session.streamTask(withHostName: "127.0.0.1", port: port)
      second.resume()
      #expect(try await second.readData(ofMinLength: 1, maxLength: 1, timeout: 0).1)
      if let content {
        try await first.write(Data(content.utf8), timeout: 0)
        first.closeWrite()
      }
      gate.open()
      if content == nil { #expect(try await first.readData(ofMinLength: 1, maxLength: 1, timeout: 0).1) }
      #expect(await load.value == content.map { Data($0.utf8) })
    }
  }

  // MARK: hostile input

  @Test(arguments: ["a%0D%0ADELE%20b", "a%0A", "a%00b", "d%0D/a"]) func lineBreaksInAPathReachNoServer(_ path: String) async throws {
    try await FTPScript.serve(data: [], control: { _ in [] }) { ground async throws in
      let url = try #require(URL(string: ground.url.absoluteString + path))
      #expect(await ground.session.failure(of: url)?.code == .badURL)
      #expect(ground.server.acceptedConnections == 0)
    }
  }

  @Test(arguments: ["me%0D%0ADELE%20b:x", "me:x%0AQUIT"]) func lineBreaksInALoginReachNoServer(_ login: String) async throws {
    try await FTPScript.serve(data: [], control: { _ in [] }) { ground async throws in
      let url = try #require(URL(string: ground.url.absoluteString.replacing("ftp://", with: "ftp://\(login)@") + "a.txt"))
      #expect(await ground.session.failure(of: url)?.code == .badURL)
      #expect(ground.server.acceptedConnections == 0)
    }
  }

  @Test(arguments: ["a", "220-x\r\n"]) func endlessRepliesAreCutOff(_ unit: String) async throws {
    let replies = String(repeating: unit, count: 4_000_000 / unit.utf8.count)
    try await FTPScript.serve(data: [], control: { _ in [[.send(replies)]] }) { ground async throws in
      #expect(await ground.session.failure(of: ground.file)?.code == .cannotParseResponse)
      try await ground.server.waitForConnections(open: 0)
    }
  }

  @Test func wordsBetweenTheConsentToTLSAndTLSAreNotTakenForTheServers() async throws {
    let script = FTPScript.greeting("220 hi") + FTPScript.answer("USER anonymous", "530 use TLS")
    let secured = FTPScript.greeting("220 hi") + FTPScript.answer("AUTH TLS", "234 go\r\n230 welcome")
    try await FTPScript.serve(data: [], control: { _ in [script, secured] }) { ground async throws in
      #expect(await ground.session.failure(of: ground.file)?.code == .secureConnectionFailed)
    }
  }

  // MARK: back-pressure and cancelling

  @Test func blockedDelegateHoldsTheServerBack() async throws {
    let size = 48 << 20
    try await FTPScript.serve(
      data: [[.sendRepeating(7, count: size), .close]], control: { [FTPScript.retrieving(size, $0)] }
    ) { ground async throws in
      let gate = Gate()
      let recorder = DelegateRecorder(dataGate: gate)
      let session = URLSession(configuration: .testing(), delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: ground.file)
      task.resume()
      try await gate.reached()
      try await settle { ground.data.sentBytes }
      #expect(ground.data.sentBytes < 16 << 20)
      gate.open()
      #expect(await recorder.completion(of: task) == nil)
      #expect(recorder.body.count == size)
      session.invalidateAndCancel()
    }
  }

  @Test func serverThatReadsSlowlyHoldsTheUploadBack() async throws {
    let size = 48 << 20
    let gate = Gate()
    try await FTPScript.serve(
      data: [[.wait(gate), .readToEnd]], control: { [FTPScript.storing($0, end: [.send("226 done\r\n")])] }
    ) { ground async throws in
      let folder = try DownloadFolder()
      defer { folder.remove() }
      let file = folder.url.appending(path: "f", directoryHint: .notDirectory)
      try Data(repeating: 7, count: size).write(to: file)
      let log = CompletionLog()
      let task = ground.session.uploadTask(
        with: URLRequest("PUT", ground.url.appending(path: "b.txt")), fromFile: file, completionHandler: log.handler)
      task.resume()
      try await gate.reached()
      try await settle { Int(task.countOfBytesSent) }
      #expect(task.countOfBytesSent < 24 << 20)
      gate.open()
      #expect(await log.call().code == nil)
      #expect(task.countOfBytesSent == size)
    }
  }

  @Test func cancelledUploadClosesItsConnections() async throws {
    let gate = Gate()
    try await FTPScript.serve(data: [[.read(count: 1), .wait(gate), .readToEnd]], control: { [FTPScript.storing($0, end: [])] }) {
      ground async throws in
      let request = URLRequest("PUT", ground.url.appending(path: "b.txt"), body: Data(repeating: 7, count: 48 << 20))
      let task = Task { await ground.session.failure(of: request)?.code }
      _ = try await ground.data.waitForBytes(1)
      task.cancel()
      #expect(await task.value == .cancelled)
      // A server that reads nothing doesn't see the end either.
      gate.open()
      try await ground.server.waitForConnections(open: 0)
      try await ground.data.waitForConnections(open: 0)
    }
  }
}
