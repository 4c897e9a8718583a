import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct ServerTrustTests {
  private func code(_ session: URLSession, _ url: URL, delegate: (any URLSessionTaskDelegate)? = nil) async -> Int? {
    await errorCode { _ = try await session.data(from: url, delegate: delegate) }
  }

  private func withServer(
    _ certificate: TestCertificate, _ body: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.with(.https(certificate)) { server async throws in
      server.route("/", reply: .text("secret"))
      server.route("/last", reply: Reply.text("x").with(.closeAfterReply(announce: true)))
      try await body(server)
    }
  }

  @Test func revokedServerIsRefusedUnlessTheAppAcceptsIt() async throws {
    let authority = try TestCertificateAuthority()
    let (good, bad) = try (authority.issue(), authority.issue())
    let lists = try URLSessionRevocationLists(data: authority.revocationList([bad.der]))
    for (certificate, expected) in [(good, nil), (bad, -1202)] as [(TestCertificate, Int?)] {
      try await withServer(certificate) { server in
        let judges: [(ChallengeDelegate?, Int?)] = [
          (nil, expected), (ChallengeDelegate(.performDefaultHandling), expected), (.accepting, nil),
        ]
        for (judge, outcome) in judges {
          let configuration = URLSessionConfiguration.testing(trusting: authority)
          configuration.revocationLists = lists
          let session = URLSession(configuration: configuration, delegate: judge, delegateQueue: nil)
          #expect(await code(session, server.url()) == outcome)
          session.invalidateAndCancel()
        }
      }
    }
  }

  @Test func eachDispositionHasItsOutcome() async throws {
    let authority = try TestCertificateAuthority()
    try await withServer(TestCertificate.selfSigned()) { bad in
      try await withServer(authority.issue()) { good in
        let outcomes: [(ChallengeDelegate, onBad: Int?, onGood: Int?)] = [
          (.accepting, nil, nil),
          (ChallengeDelegate(.performDefaultHandling), -1202, nil),
          (ChallengeDelegate(.cancelAuthenticationChallenge), -999, -999),
          (ChallengeDelegate(.rejectProtectionSpace), -1202, -1202),
          (ChallengeDelegate(.useCredential), -1202, nil),
        ]
        for (judge, onBad, onGood) in outcomes {
          let session = URLSession(configuration: .testing(trusting: authority), delegate: judge, delegateQueue: nil)
          #expect(await code(session, bad.url()) == onBad)
          #expect(await code(session, good.url()) == onGood)
          #expect(judge.trusts.count == 2)
          session.invalidateAndCancel()
        }
        #expect(bad.requestCount == 1)
      }
    }
  }

  @Test func challengeShowsWhatTheServerPresented() async throws {
    let authority = try TestCertificateAuthority()
    let certificate = try authority.makeIntermediate().issue()
    try await withServer(certificate) { server in
      let judge = ChallengeDelegate.accepting
      let session = URLSession(configuration: .testing(trusting: authority), delegate: judge, delegateQueue: nil)
      #expect(await code(session, server.url("/", host: "localhost")) == nil)
      let space = try #require(judge.asked.first)
      #expect(space.authenticationMethod == NSURLAuthenticationMethodServerTrust)
      #expect(space.host == "localhost" && space.port == server.port && space.protocol == NSURLProtectionSpaceHTTPS)
      let trust = try #require(space.serverTrust)
      #expect(trust.chain.count == 2)
      #expect(trust.chain.first?.derRepresentation == certificate.der)
      let verdict = trust.verdict()
      #expect(verdict.isTrusted)
      #expect(verdict.chain.map(\.count).count == 3)
      #expect(verdict.chain.last == authority.der)
      trust.change { $0.trustsAnchorsOnly = true }
      #expect(!trust.verdict().isTrusted, "no anchor was set")
      session.invalidateAndCancel()
    }
  }

  @Test func refusalCarriesTheTrust() async throws {
    try await withServer(TestCertificate.selfSigned()) { server in
      let session = URLSession(configuration: .testing())
      do {
        _ = try await session.data(from: server.url())
        Issue.record("the load must fail")
      } catch let error as URLError {
        let trust = try #require(error.failureURLPeerTrust)
        #expect(trust.host == "127.0.0.1" && trust.chain.count == 1)
        #expect(trust.verdict().result == .selfSigned)
      }
      session.invalidateAndCancel()
    }
  }

  @Test func taskDelegateIsAskedWhereTheSessionHasNone() async throws {
    try await withServer(TestCertificate.selfSigned()) { server in
      let session = URLSession(configuration: .testing())
      let delegate = ChallengeDelegate.accepting
      #expect(await code(session, server.url(), delegate: delegate) == nil)
      #expect(delegate.asked.map(\.authenticationMethod) == [NSURLAuthenticationMethodServerTrust])
      session.invalidateAndCancel()
    }
  }

  @Test func trustInOtherCertificatesAcceptsNothing() async throws {
    try await withServer(TestCertificate.selfSigned()) { server in
      let other = SecTrust(chain: [SecCertificate(derRepresentation: try TestCertificate.selfSigned().der)], host: "127.0.0.1")
      let judge = ChallengeDelegate { _ in (.useCredential, URLCredential(trust: other)) }
      let session = URLSession(configuration: .testing(), delegate: judge, delegateQueue: nil)
      #expect(await code(session, server.url()) == -1202)
      session.invalidateAndCancel()
    }
  }

  @Test func everyNewConnectionAsksButAResumedOneDoesNot() async throws {
    let authority = try TestCertificateAuthority()
    try await withServer(authority.issue()) { server in
      let judge = ChallengeDelegate.accepting
      let session = URLSession(configuration: .testing(trusting: authority), delegate: judge, delegateQueue: nil)
      #expect(await code(session, server.url()) == nil)
      #expect(await code(session, server.url()) == nil)
      #expect(judge.trusts.count == 1)
      #expect(server.acceptedConnections == 1)
      #expect(await code(session, server.url("/last")) == nil)
      #expect(await code(session, server.url()) == nil)
      #expect(server.acceptedConnections == 2)
      #expect(judge.trusts.count == 1, "the ticket carries this session's answer")
      await session.reset()
      #expect(await code(session, server.url()) == nil)
      #expect(judge.trusts.count == 2)
      session.invalidateAndCancel()
    }
  }

  /// Neither their connections nor their tickets count for later loads.
  @Test func resetForgetsWhatLoadsUnderWayHaveBeenGiven() async throws {
    let authority = try TestCertificateAuthority()
    try await withServer(authority.issue()) { server in
      let judge = ChallengeDelegate.accepting
      let session = URLSession(configuration: .testing(trusting: authority), delegate: judge, delegateQueue: nil)
      let gate = Gate()
      server.route("/held", reply: .text("held").with(.delayBeforeHeaders(gate)))
      let held = Task { await code(session, server.url("/held")) }
      try await gate.reached()
      await session.reset()
      gate.open()
      #expect(await held.value == nil)
      #expect(await code(session, server.url()) == nil)
      #expect(judge.trusts.count == 2)
      #expect(server.acceptedConnections == 2)
      session.invalidateAndCancel()
    }
  }

  @Test func ticketOfAnUnaskedConnectionDoesNotSpareTheQuestion() async throws {
    let authority = try TestCertificateAuthority()
    try await withServer(authority.issue()) { server in
      let session = URLSession(configuration: .testing(trusting: authority))
      #expect(await code(session, server.url("/last")) == nil)
      let delegate = ChallengeDelegate(.cancelAuthenticationChallenge)
      #expect(await code(session, server.url("/last"), delegate: delegate) == -999)
      #expect(delegate.asked.count == 1)
      session.invalidateAndCancel()
    }
  }

  @Test func overriddenServerIsNotResumedByALoadThatDoesNotAsk() async throws {
    try await withServer(TestCertificate.selfSigned()) { server in
      let session = URLSession(configuration: .testing())
      let delegate = ChallengeDelegate.accepting
      #expect(await code(session, server.url("/last"), delegate: delegate) == nil)
      #expect(await code(session, server.url("/last")) == -1202)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [1, 2], ["/", "/last"])
  func exceptionOfOneTasksDelegateServesNoOther(_ version: Int, path: String) async throws {
    let certificate = try TestCertificate.selfSigned()
    try await TestServer.with(version == 1 ? .https(certificate) : .http2(certificate)) { server async throws in
      server.route("/", reply: .text("secret"))
      server.route("/last", reply: Reply.text("x").with(.closeAfterReply(announce: true)))
      let session = URLSession(configuration: .testing())
      let accepting = ChallengeDelegate.accepting
      #expect(await code(session, server.url(path), delegate: accepting) == nil)
      // Neither the connection, which is open in one case, nor its ticket.
      for refusing in [ChallengeDelegate(.performDefaultHandling), ChallengeDelegate(.useCredential)] {
        #expect(await code(session, server.url(path), delegate: refusing) == -1202)
        #expect(refusing.trusts.count == 1)
      }
      #expect(await code(session, server.url(path)) == -1202)
      #expect(await code(session, server.url(path), delegate: accepting) == nil)
      #expect(accepting.trusts.count == 1, "its own exception still serves it")
      let other = ChallengeDelegate.accepting
      #expect(await code(session, server.url(path), delegate: other) == nil)
      #expect(other.trusts.count == 1)
      #expect(server.requestCount == 3)
      session.invalidateAndCancel()
    }
  }

  @Test func cancelledLoadEndsTheQuestion() async throws {
    try await withServer(TestCertificate.selfSigned()) { server in
      let judge = ChallengeDelegate { _ in nil }
      let session = URLSession(configuration: .testing(), delegate: judge, delegateQueue: nil)
      let log = CompletionLog()
      let task = session.dataTask(with: server.url(), completionHandler: log.handler)
      task.resume()
      await judge.wasAsked.wait()
      task.cancel()
      #expect(await log.call().code == -999)
      try await server.waitForConnections(open: 0)
      judge.release(.performDefaultHandling)
      session.invalidateAndCancel()
    }
  }

  @Test func timeTheAppTakesIsNotTheServers() async throws {
    let clock = ManualClock()
    let authority = try TestCertificateAuthority()
    try await withServer(authority.issue()) { server in
      let judge = ChallengeDelegate { _ in nil }
      let configuration = URLSessionConfiguration.testing(trusting: authority, clock: clock)
      configuration.timeoutIntervalForResource = 1000
      let session = URLSession(configuration: configuration, delegate: judge, delegateQueue: nil)
      let log = CompletionLog()
      session.dataTask(with: server.url(), completionHandler: log.handler).resume()
      await judge.wasAsked.wait()
      clock.advance(by: 300)
      judge.release(.performDefaultHandling)
      #expect(await log.call().code == nil)
      session.dataTask(with: server.url("/", host: "localhost"), completionHandler: log.handler).resume()
      await judge.wasAsked.wait()
      clock.advance(by: 1001)
      #expect(await log.call().code == -1001)
      judge.release(.performDefaultHandling)
      session.invalidateAndCancel()
    }
  }

  @Test func rejectionHarmsNoOtherLoad() async throws {
    let authority = try TestCertificateAuthority()
    try await withServer(authority.issue()) { server in
      let judge = ChallengeDelegate { _ in nil }
      let configuration = URLSessionConfiguration.testing(trusting: authority)
      configuration.httpMaximumConnectionsPerHost = 1
      let session = URLSession(configuration: configuration, delegate: judge, delegateQueue: nil)
      let first = CompletionLog()
      let second = CompletionLog()
      session.dataTask(with: server.url(), completionHandler: first.handler).resume()
      await judge.wasAsked.wait()
      session.dataTask(with: server.url(), completionHandler: second.handler).resume()
      judge.release(.cancelAuthenticationChallenge)
      #expect(await first.call().code == -999)
      await judge.wasAsked.wait()
      judge.release(.performDefaultHandling)
      #expect(await second.call().code == nil)
      #expect(judge.trusts.count == 2)
      session.invalidateAndCancel()
    }
  }

  /// Tasks with delegates of their own, of which one refuses the server: the others aren't affected.
  @Test(arguments: [1, 2, 6])
  func refusalByOneOfManyLoadsEndsThatLoadAlone(connections: Int) async throws {
    let authority = try TestCertificateAuthority()
    try await withServer(authority.issue()) { server in
      let configuration = URLSessionConfiguration.testing(trusting: authority)
      configuration.httpMaximumConnectionsPerHost = connections
      let session = URLSession(configuration: configuration)
      let held = ChallengeDelegate { _ in nil }
      let judges =
        [held, ChallengeDelegate(.cancelAuthenticationChallenge)] + (0..<4).map { _ in ChallengeDelegate(.performDefaultHandling) }
      let logs = judges.map { _ in CompletionLog() }
      for (judge, log) in zip(judges, logs) {
        let task = session.dataTask(with: server.url(), completionHandler: log.handler)
        task.delegate = judge
        task.resume()
        // The others come while the first one's question is open.
        if judge === held { await held.wasAsked.wait() }
      }
      held.release(.cancelAuthenticationChallenge)
      #expect(await logs[0].call().code == -999)
      for log in logs[2...] { #expect(await log.call().code == nil) }
      // The second one is asked about a connection of its own, unless there is one already that others accepted.
      let code = await logs[1].call().code
      // A load whose delegate is asked may still get a connection that has become free before the answer counts.
      #expect(code == nil || (code == -999 && !judges[1].asked.isEmpty))
      #expect(logs.map(\.count) == [1, 1, 1, 1, 1, 1])
      session.invalidateAndCancel()
    }
  }

  /// What one session's app has decided about a server has no effect on another session.
  @Test func refusalInOneSessionIsNothingToAnother() async throws {
    let authority = try TestCertificateAuthority()
    try await withServer(authority.issue()) { server in
      let (first, second) = (ChallengeDelegate { _ in nil }, ChallengeDelegate { _ in nil })
      let sessions = [first, second].map {
        URLSession(configuration: .testing(trusting: authority), delegate: $0, delegateQueue: nil)
      }
      let logs = [CompletionLog(), CompletionLog()]
      for (session, log) in zip(sessions, logs) { session.dataTask(with: server.url(), completionHandler: log.handler).resume() }
      await first.wasAsked.wait()
      await second.wasAsked.wait()
      first.release(.cancelAuthenticationChallenge)
      #expect(await logs[0].call().code == -999)
      second.release(.performDefaultHandling)
      #expect(await logs[1].call().code == nil)
      for session in sessions { session.invalidateAndCancel() }
    }
  }

  @Test func questionAboutALoadThatWasServedElsewhereIsWithdrawn() async throws {
    let authority = try TestCertificateAuthority()
    try await withServer(authority.issue()) { server in
      let gate = Gate()
      server.route("/held", reply: .text("held").with(.delayBeforeHeaders(gate)))
      let judge = ChallengeDelegate { _ in nil }
      let clock = ManualClock()
      let session = URLSession(configuration: .testing(trusting: authority, clock: clock), delegate: judge, delegateQueue: nil)
      let (first, second) = (CompletionLog(), CompletionLog())
      session.dataTask(with: server.url("/held"), completionHandler: first.handler).resume()
      await judge.wasAsked.wait()
      judge.release(.performDefaultHandling)
      _ = try await server.waitForRequestHead()
      session.dataTask(with: server.url(), completionHandler: second.handler).resume()
      await judge.wasAsked.wait()
      gate.open()
      #expect(await first.call().code == nil)
      #expect(await second.call().code == nil, "the first load's connection serves it")
      try await server.waitForConnections(open: 1)
      judge.release(.cancelAuthenticationChallenge)
      #expect(judge.trusts.count == 2)
      session.invalidateAndCancel()
    }
  }

  @Test func overriddenServerServesNoLoadThatDoesNotAsk() async throws {
    try await withServer(TestCertificate.selfSigned()) { server in
      let configuration = URLSessionConfiguration.testing()
      configuration.httpMaximumConnectionsPerHost = 1
      let session = URLSession(configuration: configuration)
      #expect(await code(session, server.url(), delegate: ChallengeDelegate.accepting) == nil)
      #expect(await code(session, server.url()) == -1202, "the connection is kept, but not for everybody")
      session.invalidateAndCancel()
    }
  }

  @Test func openConnectionKeepsNoTask() async throws {
    let authority = try TestCertificateAuthority()
    try await withServer(authority.issue()) { server in
      let session = URLSession(configuration: .testing(trusting: authority), delegate: ChallengeDelegate.accepting, delegateQueue: nil)
      let log = CompletionLog()
      let leaks = LeakCheck()
      do {
        let task = session.dataTask(with: server.url(), completionHandler: log.handler)
        task.resume()
        leaks.track(task)
        #expect(await log.call().code == nil)
      }
      for _ in 0..<3 { #expect(await code(session, server.url()) == nil) }
      try await leaks.verify()
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test func invalidationEndsTheQuestion() async throws {
    try await withServer(TestCertificate.selfSigned()) { server in
      let judge = ChallengeDelegate { _ in nil }
      let session = URLSession(configuration: .testing(), delegate: judge, delegateQueue: nil)
      let log = CompletionLog()
      session.dataTask(with: server.url(), completionHandler: log.handler).resume()
      await judge.wasAsked.wait()
      session.invalidateAndCancel()
      #expect(await log.call().code == -999)
      try await server.waitForConnections(open: 0)
    }
  }
}
