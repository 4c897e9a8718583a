import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct TLSTests {
  /// The code with which a load from a server with these options fails; nil if it succeeds.
  private func code(
    _ options: TestServer.Options, trusting authority: TestCertificateAuthority?, configure: (URLSessionConfiguration) -> Void = { _ in }
  ) async throws -> Int? {
    try await TestServer.with(options) { server async throws in
      server.route("/", reply: .text("secret"))
      let configuration = URLSessionConfiguration.testing(trusting: authority)
      configure(configuration)
      let session = URLSession(configuration: configuration)
      defer { session.invalidateAndCancel() }
      return await errorCode {
        let (data, _) = try await session.data(from: server.url())
        #expect(data == Data("secret".utf8))
      }
    }
  }

  @Test func certificateOfATrustedAuthorityIsAccepted() async throws {
    let authority = try TestCertificateAuthority()
    #expect(try await code(.https(authority.issue()), trusting: authority) == nil)
    #expect(try await code(.https(authority.makeIntermediate().issue()), trusting: authority) == nil)
  }

  @Test func certificateIsCheckedAgainstTheHostName() async throws {
    let authority = try TestCertificateAuthority()
    try await TestServer.with(.https(authority.issue(hosts: ["localhost"]))) { server async throws in
      server.route("/", reply: .text("secret"))
      let session = URLSession(configuration: .testing(trusting: authority))
      let (data, _) = try await session.data(from: server.url("/", host: "localhost"))
      #expect(data == Data("secret".utf8))
      #expect(await errorCode { _ = try await session.data(from: server.url()) } == URLError.serverCertificateUntrusted.rawValue)
      session.invalidateAndCancel()
    }
  }

  @Test func badCertificatesAreRefusedEachWithItsCode() async throws {
    let authority = try TestCertificateAuthority()
    #expect(try await code(.https(authority.issueExpired()), trusting: authority) == URLError.serverCertificateHasBadDate.rawValue)
    #expect(
      try await code(.https(authority.issueNotYetValid()), trusting: authority) == URLError.serverCertificateNotYetValid.rawValue)
    #expect(try await code(.https(authority.issueForWrongHost()), trusting: authority) == URLError.serverCertificateUntrusted.rawValue)
    #expect(try await code(.https(TestCertificate.selfSigned()), trusting: authority) == URLError.serverCertificateUntrusted.rawValue)
    let stranger = try TestCertificateAuthority(name: "Stranger")
    #expect(try await code(.https(stranger.issue()), trusting: authority) == URLError.serverCertificateHasUnknownRoot.rawValue)
    #expect(try await code(.https(stranger.issue()), trusting: nil) == URLError.serverCertificateHasUnknownRoot.rawValue)
    let incomplete = try authority.makeIntermediate().issue().withoutIntermediates
    #expect(try await code(.https(incomplete), trusting: authority) == URLError.serverCertificateHasUnknownRoot.rawValue)
  }

  @Test func refusedCertificateSendsNoRequest() async throws {
    try await TestServer.with(.https(TestCertificate.selfSigned())) { server async throws in
      server.route("/", reply: .text("secret"))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: .testing(), delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      let error = await recorder.completion(of: task)
      #expect((error as? URLError)?.code == .serverCertificateUntrusted)
      #expect(error?.localizedDescription.contains("self-signed") == true)
      #expect(server.requestCount == 0)
      try await server.waitForConnections(open: 0)
      session.invalidateAndCancel()
    }
  }

  @Test func versionsThatDoNotMeetFail() async throws {
    let authority = try TestCertificateAuthority()
    var modern = TestServer.Options.https(try authority.issue())
    modern.minimumTLSVersion = .tls13
    let refused = try await code(modern, trusting: authority) { $0.tlsMaximumSupportedProtocolVersion = .TLSv12 }
    #expect(refused == URLError.secureConnectionFailed.rawValue)
    var old = TestServer.Options.https(try authority.issue())
    old.maximumTLSVersion = .tls12
    let tooOld = try await code(old, trusting: authority) { $0.tlsMinimumSupportedProtocolVersion = .TLSv13 }
    #expect(tooOld == URLError.secureConnectionFailed.rawValue)
    #expect(try await code(old, trusting: authority) == nil)
  }

  @Test func serverThatSpeaksNoTLSFails() async throws {
    try await TestServer.with(.raw([.read(count: 5), .send("HTTP/1.1 400 Bad Request\r\n\r\n"), .close])) { server async throws in
      let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
      let session = URLSession(configuration: .testing())
      #expect(await errorCode { _ = try await session.data(from: url) } == URLError.secureConnectionFailed.rawValue)
      session.invalidateAndCancel()
    }
  }

  @Test func endAndResetInTheHandshakeAreOneError() async throws {
    var messages: [String] = []
    // The third is the alert "close_notify".
    for ending in [[RawStep.close], [.reset], [.send(Data([0x15, 3, 3, 0, 2, 1, 0])), .readToEnd]] {
      try await TestServer.with(.raw([.read(count: 5)] + ending)) { server async throws in
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let session = URLSession(configuration: .testing())
        let error = try #require(await session.failure(of: url))
        #expect(error.code == .secureConnectionFailed)
        #expect(error.userInfo["_kCFStreamErrorDomainKey"] as? Int == 3 && error.userInfo["_kCFStreamErrorCodeKey"] as? Int == -9806)
        messages.append(error.localizedDescription)
        session.invalidateAndCancel()
      }
    }
    #expect(Set(messages).count == 1)
  }

  @Test func intermediateThatTheServerLeftOutIsNamedAsTheReason() async throws {
    let authority = try TestCertificateAuthority()
    let whole = try authority.makeIntermediate().issue()
    for (certificate, isLeftOut) in [(whole.withoutIntermediates, true), (whole, false)] {
      // In the second case the root alone is unknown.
      try await TestServer.with(.https(certificate)) { server async throws in
        let session = URLSession(configuration: .testing(trusting: isLeftOut ? authority : nil))
        let error = try #require(await session.failure(of: server.url()))
        #expect(error.code == .serverCertificateHasUnknownRoot)
        #expect(error.localizedDescription.contains("the server left out an intermediate certificate") == isLeftOut)
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: [TestServer.TLSVersion.tls12, .tls13])
  func missingClientCertificateIsNamed(_ version: TestServer.TLSVersion) async throws {
    let authority = try TestCertificateAuthority()
    var options = TestServer.Options.https(try authority.issue())
    options.clientCertificates = .required(authority)
    options.minimumTLSVersion = version
    options.maximumTLSVersion = version
    #expect(try await code(options, trusting: authority) == URLError.clientCertificateRequired.rawValue)
  }

  @Test(arguments: [TestServer.TLSVersion.tls12, .tls13])
  func secondConnectionResumesTheSession(_ version: TestServer.TLSVersion) async throws {
    let authority = try TestCertificateAuthority()
    var options = TestServer.Options.https(try authority.issue())
    options.minimumTLSVersion = version
    options.maximumTLSVersion = version
    try await TestServer.with(options) { server async throws in
      server.route("/", reply: Reply.text("x").with(.closeAfterReply(announce: true)))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: .testing(trusting: authority), delegate: recorder, delegateQueue: nil)
      for expected in [false, true] {
        _ = try await session.data(from: server.url())
        let transaction = try #require(recorder.metrics?.transactionMetrics.last)
        #expect(!transaction.isReusedConnection)
        #expect(facts(transaction)?.isTLSResumed == expected)
      }
      #expect(server.acceptedConnections == 2)
      session.invalidateAndCancel()
      let other = URLSession(configuration: .testing(trusting: authority), delegate: recorder, delegateQueue: nil)
      _ = try await other.data(from: server.url())
      #expect(facts(try #require(recorder.metrics?.transactionMetrics.last))?.isTLSResumed == false)
      other.invalidateAndCancel()
    }
  }

  /// What metrics know of the connection but don't show.
  private func facts(_ transaction: URLSessionTaskTransactionMetrics) -> ConnectionFacts? {
    let record = Mirror(reflecting: transaction).children.first { $0.label == "record" }?.value as? TransactionRecord
    return record?.connection
  }

  @Test func bodyThatEndsWithoutTheClosingAlertIsTruncated() async throws {
    let authority = try TestCertificateAuthority()
    let reply = Reply(body: .pattern(count: 1000), framing: .untilClose)
    try await TestServer.with(.https(authority.issue())) { server async throws in
      server.enqueue(reply, reply.with(.disconnectAfterBodyBytes(500)))
      let session = URLSession(configuration: .testing(trusting: authority))
      #expect(try await session.data(from: server.url()).0.count == 1000)
      #expect(await errorCode { _ = try await session.data(from: server.url()) } == URLError.networkConnectionLost.rawValue)
      session.invalidateAndCancel()
    }
  }
}
