import ChildProcesses
import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// TLS that begins in the middle of a stream.
@Suite(.timeLimit(.minutes(10))) struct StreamSecurityTests {
  private static func steps(_ certificate: TestCertificate, then steps: [RawStep]) -> [RawStep] {
    [.send("220 ready\r\n"), .read(until: "STARTTLS\r\n"), .send("220 go\r\n"), .startTLS(certificate)] + steps
  }

  private func serve(
    _ steps: [RawStep]? = nil, certificate: (TestCertificateAuthority) throws -> TestCertificate = { try $0.issue() },
    judge: ChallengeDelegate? = nil, trusts: Bool = true,
    _ adjust: (inout TestServer.Options, TestCertificateAuthority) -> Void = { _, _ in },
    _ body: (StreamBench) async throws -> Void
  ) async throws {
    let authority = try TestCertificateAuthority()
    let script = Self.steps(try certificate(authority), then: steps ?? [.echo])
    try await StreamBench.with(
      script, { adjust(&$0, authority) }, configuration: .testing(trusting: trusts ? authority : nil),
      recorder: StreamRecorder(judge: judge), body)
  }

  private func ask(_ task: URLSessionStreamTask) async throws {
    task.resume()
    #expect(try await task.text(atLeast: 11) == "220 ready\r\n")
    try await task.send("STARTTLS\r\n")
    #expect(try await task.text(atLeast: 8) == "220 go\r\n")
    task.startSecureConnection()
  }

  @Test func whatFollowsStartTLSIsEncrypted() async throws {
    try await serve { bench async throws in
      try await ask(bench.task)
      try await bench.task.send("secret")
      #expect(try await bench.task.text(atLeast: 6) == "secret")
      #expect(bench.recorder.events == [.challenged(NSURLAuthenticationMethodServerTrust)])
      // A second time it has no effect.
      bench.task.startSecureConnection()
      try await bench.task.send("more")
      #expect(try await bench.task.text(atLeast: 4) == "more")
      bench.task.closeWrite()
      #expect(try await bench.task.textToEnd() == "")
      #expect(await bench.recorder.completed().last == .completed(nil))
      let transaction = try #require(bench.recorder.metrics?.transactionMetrics.first)
      #expect(transaction.negotiatedTLSProtocolVersion == .TLSv13)
      #expect(transaction.secureConnectionEndDate != nil)
    }
  }

  @Test func tlsWaitsForWhatWasAskedForBefore() async throws {
    try await serve { bench async throws in
      let log = CallLog()
      let note: @Sendable (Data?, Bool, (any Error)?) -> Void = { data, _, _ in log.add(String(decoding: data ?? Data(), as: UTF8.self)) }
      // All of it at once, before there is a connection.
      bench.task.readData(ofMinLength: 11, maxLength: 11, timeout: 0, completionHandler: note)
      bench.task.write(Data("STARTTLS\r\n".utf8), timeout: 0) { _ in }
      bench.task.readData(ofMinLength: 8, maxLength: 8, timeout: 0, completionHandler: note)
      bench.task.startSecureConnection()
      bench.task.write(Data("secret".utf8), timeout: 0) { _ in }
      bench.task.readData(ofMinLength: 6, maxLength: 6, timeout: 0, completionHandler: note)
      bench.task.resume()
      #expect(await log.calls(3) == ["220 ready\r\n", "220 go\r\n", "secret"])
    }
  }

  @Test func tlsFromTheFirstByte() async throws {
    let authority = try TestCertificateAuthority()
    try await StreamBench.with(
      [.echo], { $0.tls = authority.serving }, configuration: .testing(trusting: authority), host: "localhost"
    ) { bench async throws in
      bench.task.resume()
      bench.task.startSecureConnection()
      try await bench.task.send("hello")
      #expect(try await bench.task.text(atLeast: 5) == "hello")
    }
  }

  @Test func aServerThatNobodyVouchesForFailsTheTask() async throws {
    try await serve(trusts: false) { bench async throws in
      try await ask(bench.task)
      let code = await errorCode { _ = try await bench.task.text() }
      #expect(code == URLError.serverCertificateUntrusted.rawValue || code == URLError.serverCertificateHasUnknownRoot.rawValue)
      #expect(await bench.recorder.completed().last == .completed(code))
    }
  }

  @Test func aCertificateForAnotherHostFailsTheTask() async throws {
    try await serve(certificate: { try $0.issueForWrongHost() }) { bench async throws in
      try await ask(bench.task)
      #expect(await errorCode { try await bench.task.send("x") } == URLError.serverCertificateUntrusted.rawValue)
    }
  }

  @Test func theTasksDelegateMayTrustTheServer() async throws {
    try await serve(judge: .accepting, trusts: false) { bench async throws in
      try await ask(bench.task)
      try await bench.task.send("hello")
      #expect(try await bench.task.text(atLeast: 5) == "hello")
    }
  }

  @Test func aChallengeThatIsCancelledEndsTheTask() async throws {
    try await serve(judge: ChallengeDelegate(.cancelAuthenticationChallenge)) { bench async throws in
      try await ask(bench.task)
      #expect(await errorCode { _ = try await bench.task.text() } == URLError.cancelled.rawValue)
    }
  }

  @Test func cancellingWhileTheDelegateThinksEndsTheTask() async throws {
    let judge = ChallengeDelegate { _ in nil }
    try await serve(judge: judge) { bench async throws in
      try await ask(bench.task)
      await judge.wasAsked.wait()
      bench.task.cancel()
      #expect(await bench.recorder.completed().last == .completed(URLError.cancelled.rawValue))
      judge.release(.performDefaultHandling)
      try await bench.server.waitForConnections(open: 0)
    }
  }

  @Test func bytesInTheClearAreNotTakenForEncryptedOnes() async throws {
    let authority = try TestCertificateAuthority()
    let script: [RawStep] = [.read(until: "STARTTLS\r\n"), .send("220 go\r\n250 injected\r\n"), .startTLS(try authority.issue()), .echo]
    try await StreamBench.with(script, configuration: .testing(trusting: authority)) { bench async throws in
      bench.task.resume()
      try await bench.task.send("STARTTLS\r\n")
      #expect(try await bench.task.text(atLeast: 8, atMost: 8) == "220 go\r\n")
      // So that the rest is surely there.
      while bench.task.countOfBytesReceived < 22 { await bench.session.barrier() }
      bench.task.startSecureConnection()
      #expect(await errorCode { _ = try await bench.task.text() } == URLError.secureConnectionFailed.rawValue)
    }
  }

  @Test func nothingGoesOutInTheClearWhereTheServerHasEndedBeforeTLS() async throws {
    try await StreamBench.with([.read(until: "STARTTLS\r\n"), .send("220 go\r\n"), .closeOutput, .readToEnd]) { bench async throws in
      bench.task.resume()
      try await bench.task.send("STARTTLS\r\n")
      #expect(try await bench.task.textToEnd() == "220 go\r\n")
      bench.task.startSecureConnection()
      #expect(await errorCode { try await bench.task.send("secret") } == URLError.secureConnectionFailed.rawValue)
      #expect(await bench.recorder.completed().last == .completed(URLError.secureConnectionFailed.rawValue))
    }
  }

  @Test func aServerThatSpeaksNoTLSFailsTheTask() async throws {
    try await StreamBench.with([.read(count: 1), .send("500 what?\r\n"), .close]) { bench async throws in
      bench.task.resume()
      bench.task.startSecureConnection()
      #expect(await errorCode { _ = try await bench.task.text() } == URLError.secureConnectionFailed.rawValue)
    }
  }

  @Test func eachSideEndsOnItsOwnUnderTLS() async throws {
    try await serve([.readToEnd, .send("answer"), .close]) { bench async throws in
      try await ask(bench.task)
      try await bench.task.send("question")
      bench.task.closeWrite()
      #expect(try await bench.task.textToEnd() == "answer")
      #expect(await bench.recorder.completed().last == .completed(nil))
    }
  }

  @Test func aServerThatEndsUnderTLSCanBeWrittenTo() async throws {
    try await serve([.send("bye"), .closeOutput, .read(until: "end")]) { bench async throws in
      try await ask(bench.task)
      #expect(try await bench.task.textToEnd() == "bye")
      try await bench.task.send("the end")
      bench.task.closeWrite()
      #expect(await bench.recorder.completed().last == .completed(nil))
      #expect(try await bench.server.waitForBytes(17).suffix(7) == Data("the end".utf8))
    }
  }

  @Test func anEndWithoutTheClosingAlertIsAnError() async throws {
    try await serve([.send("cut"), .closeAbruptly]) { bench async throws in
      try await ask(bench.task)
      #expect(try await bench.task.text(atLeast: 3) == "cut")
      #expect(await errorCode { _ = try await bench.task.text() } == URLError.networkConnectionLost.rawValue)
      #expect(await bench.recorder.completed().last == .completed(URLError.networkConnectionLost.rawValue))
    }
  }

  @Test func aClientCertificateIsPresented() async throws {
    let authority = try TestCertificateAuthority()
    let client = try authority.issueClient()
    let identity = try #require(SecIdentity(pem: client.chainPEM, key: client.privateKeyPEM))
    try await StreamBench.with(
      Self.steps(try authority.issue(), then: [.echo]), { $0.clientCertificates = .required(authority) },
      configuration: .testing(trusting: authority), recorder: StreamRecorder(judge: .presenting(identity))
    ) { bench async throws in
      try await ask(bench.task)
      try await bench.task.send("it's me")
      #expect(try await bench.task.text(atLeast: 7) == "it's me")
      #expect(bench.recorder.events.contains(.challenged(NSURLAuthenticationMethodClientCertificate)))
    }
  }

  @Test func largeAmountsUnderTLS() async throws {
    try await serve { bench async throws in
      try await ask(bench.task)
      let content = Data((0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      let task = bench.task
      let writing = Task { try await task.write(content, timeout: 0) }
      let (data, _) = try await bench.task.readData(ofMinLength: content.count, maxLength: content.count, timeout: 0)
      try await writing.value
      let isSame = data == content
      #expect(isSame)
    }
  }
}

extension TestCertificateAuthority {
  fileprivate var serving: TestServer.TLS {
    if let certificate = try? issue() { .certificate(certificate) } else { .none }
  }
}
