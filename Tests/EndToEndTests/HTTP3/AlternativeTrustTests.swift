import ChildProcesses
import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Sessions whose delegate is asked about servers, and HTTP/3 beside TCP.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Wire.hasHTTP3, "a build without HTTP/3")) struct AlternativeTrustTests {
  /// What is wrong with the certificate at the alternative place.
  enum Flaw: CaseIterable {
    /// It doesn't pass the evaluation.
    case untrusted
    /// It does, and isn't the one that the app has pinned.
    case unpinned
  }

  /// Accepts what passes the evaluation, but not this certificate.
  private func pinning(against other: TestCertificate) -> ChallengeDelegate {
    ChallengeDelegate { space in
      let isOther = space.serverTrust?.chain.first?.derRepresentation == other.der
      return (isOther ? .cancelAuthenticationChallenge : .performDefaultHandling, nil)
    }
  }

  /// Runs `body` with an origin over TCP, and another server over QUIC with another certificate.
  private func serve(
    _ flaw: Flaw,
    _ body: (_ origin: TestServer, _ place: TestServer, ChallengeDelegate, URLSessionConfiguration, TestCertificate) async throws -> Void
  ) async throws {
    let authority = try TestCertificateAuthority()
    let other = flaw == .unpinned ? try authority.issue() : try TestCertificate.selfSigned()
    let configuration = URLSessionConfiguration.testing(trusting: authority)
    configuration.httpVersions = .all
    configuration.urlCache = nil
    try await TestServer.with(.http2(authority.issue())) { origin async throws in
      try await TestServer.with(.http3(other)) { place async throws in
        origin.route("/", reply: .text("ok"))
        try await body(origin, place, pinning(against: other), configuration, other)
        #expect(place.requestCount == 0)
      }
    }
  }

  private func notice(_ place: TestServer) -> String { "h3=\":\(place.port)\"; ma=3600" }

  /// RFC 7838, 2.1: a verdict about an alternative isn't one about the origin.
  @Test(arguments: Flaw.allCases) func alternativeWithAWrongCertificateCostsNoLoad(_ flaw: Flaw) async throws {
    try await serve(flaw) { origin, place, judge, configuration, other async throws in
      let session = URLSession(configuration: configuration, delegate: judge, delegateQueue: nil)
      origin.enqueue(Reply(200, headers: ["Alt-Svc": notice(place)], body: .text("ok")))
      #expect(try await session.text(from: origin.url()).0 == "ok")
      #expect(await session.alternativeServices(of: origin.url()).count == 1)
      let end = HangLimit.end
      while await !session.alternativeServices(of: origin.url()).isEmpty, ContinuousClock.now < end {
        #expect(try await session.text(from: origin.url()).0 == "ok")
      }
      // It is forgotten, and the app has been asked only about what passes the evaluation.
      #expect(await session.alternativeServices(of: origin.url()).isEmpty)
      #expect(judge.trusts.contains { $0.chain.first?.derRepresentation == other.der } == (flaw == .unpinned))
      #expect(try await session.text(from: origin.url()).0 == "ok")
      session.invalidateAndCancel()
    }
  }

  /// QUIC may come to its question before TCP does, or after it.
  @Test(arguments: Flaw.allCases) func alternativeWithAWrongCertificateLosesNoRace(_ flaw: Flaw) async throws {
    try await serve(flaw) { origin, place, judge, configuration, _ async throws in
      let store = AlternativeServiceStore()
      configuration.alternativeServiceStore = store
      let named = Origin(scheme: "https", host: "127.0.0.1", port: origin.port)
      let head = ResponseHead(status: 200, headers: HeaderFields([("Alt-Svc", notice(place))]))
      for _ in 0..<10 {
        store.note(head, from: named, now: Date())
        let session = URLSession(configuration: configuration, delegate: judge, delegateQueue: nil)
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
          for _ in 0..<3 { group.addTask { try await session.text(from: origin.url()).0 } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == ["ok", "ok", "ok"])
        session.invalidateAndCancel()
      }
    }
  }

  /// Runs `body` with an origin over HTTP/2, a place over HTTP/3 and a session; both have the certificate.
  private func withPlace(
    _ body: (_ origin: TestServer, _ place: TestServer, _ session: URLSession, TestCertificate) async throws -> Void
  ) async throws {
    let authority = try TestCertificateAuthority()
    let certificate = try authority.issue()
    let configuration = URLSessionConfiguration.testing(trusting: authority)
    configuration.httpVersions = .all
    configuration.urlCache = nil
    try await TestServer.with(.http2(certificate)) { origin async throws in
      try await TestServer.with(.http3(certificate)) { place async throws in
        let session = URLSession(configuration: configuration)
        origin.route("/", reply: .text("ok"))
        place.route("/", reply: Reply(421))
        origin.enqueue(Reply(200, headers: ["Alt-Svc": notice(place)], body: .text("ok")))
        try await body(origin, place, session, certificate)
        session.invalidateAndCancel()
      }
    }
  }

  /// RFC 7838, 6: an alternative that answers with 421 is forgotten, and no load learns of it.
  @Test func alternativeThatDoesNotServeTheOriginCostsNoLoad() async throws {
    try await withPlace { origin, place, session, _ async throws in
      let end = HangLimit.end
      repeat {
        #expect(try await session.text(from: origin.url()).0 == "ok")
      } while place.requestCount == 0 && ContinuousClock.now < end
      #expect(await session.alternativeServices(of: origin.url()).isEmpty)
      for _ in 0..<5 { #expect(try await session.text(from: origin.url()).0 == "ok") }
      #expect(place.requestCount == 1)
    }
  }

  /// A place that answers with 421 is forgotten; one that has been named since isn't.
  @Test func otherPlaceIsLeftAloneWhereOneDoesNotServeTheOrigin() async throws {
    try await withPlace { origin, place, session, certificate async throws in
      try await TestServer.with(.http3(certificate)) { later async throws in
        later.route("/", reply: .text("ok"))
        place.enqueue(Reply(200, headers: ["Alt-Svc": notice(later)], body: .text("ok")))
        let end = HangLimit.end
        repeat {
          #expect(try await session.text(from: origin.url()).0 == "ok")
        } while place.requestCount < 2 && ContinuousClock.now < end
        #expect(await session.alternativeServices(of: origin.url()).map(\.port) == [later.port])
        for _ in 0..<5 { #expect(try await session.text(from: origin.url()).0 == "ok") }
        #expect(place.requestCount == 2)
      }
    }
  }

  // MARK: beside an open connection

  @Test func sessionWhoseDelegateIsAskedMovesToHTTP3() async throws {
    try await Wire.h3.serve({ $0.http3.isAdvertised = true }) { server, configuration async throws in
      configuration.httpVersions = .all
      configuration.urlCache = nil
      let judge = ChallengeDelegate(.performDefaultHandling)
      let session = URLSession(configuration: configuration, delegate: judge, delegateQueue: nil)
      server.route("/", reply: .text("ok"))
      let end = HangLimit.end
      repeat {
        #expect(try await session.text(from: server.url()).0 == "ok")
      } while server.requests.last?.version != "HTTP/3" && ContinuousClock.now < end
      #expect(server.requests.first?.version == "HTTP/2" && server.requests.last?.version == "HTTP/3")
      // Once by each of the two handshakes.
      #expect(judge.trusts.count == 2)
      session.invalidateAndCancel()
    }
  }

  @Test func openQuestionOverQUICHoldsUpNoLoad() async throws {
    try await Wire.h3.serve({ $0.http3.isAdvertised = true }) { server, configuration async throws in
      configuration.httpVersions = .all
      configuration.urlCache = nil
      let count = Mutex(0)
      let judge = ChallengeDelegate { _ in
        // The first handshake's, over TCP, is answered at once.
        count.withLock { count in
          count += 1
          return count == 1 ? (.performDefaultHandling, nil) : nil
        }
      }
      let session = URLSession(configuration: configuration, delegate: judge, delegateQueue: nil)
      server.route("/", reply: .text("ok"))
      let end = HangLimit.end
      while judge.asked.count < 2, ContinuousClock.now < end { _ = try await session.data(from: server.url()) }
      for _ in 0..<10 { #expect(try await session.text(from: server.url()).0 == "ok") }
      #expect(judge.asked.count == 2 && server.requests.allSatisfy { $0.version == "HTTP/2" })
      judge.release(.performDefaultHandling)
      while server.requests.last?.version != "HTTP/3", ContinuousClock.now < end { _ = try await session.data(from: server.url()) }
      #expect(judge.asked.count == 2 && server.requests.last?.version == "HTTP/3")
      session.invalidateAndCancel()
    }
  }

  // MARK: where TCP is refused

  /// Runs `body` with a place that is served over QUIC alone, and a request that assumes HTTP/3 there.
  private func serveWithoutTCP(
    _ judge: any URLSessionDelegate, _ body: (TestServer, URLSession, ManualClock, URLRequest) async throws -> Void
  ) async throws {
    try await relayWithoutTCP(judge) { server, _, session, clock, request in try await body(server, session, clock, request) }
  }

  private func relayWithoutTCP(
    _ judge: any URLSessionDelegate, _ body: (TestServer, DatagramRelay, URLSession, ManualClock, URLRequest) async throws -> Void
  ) async throws {
    try await Wire.h3.serve { server, configuration async throws in
      server.route("/", reply: .text("ok"))
      try await DatagramRelay.with(server.port) { relay async throws in
        let closed = try? ClosedPort(relay.port)
        let clock = ManualClock()
        configuration.httpVersions = .all
        configuration.use(clock)
        let session = URLSession(configuration: configuration, delegate: judge, delegateQueue: nil)
        var request = URLRequest(url: try #require(URL(string: "https://127.0.0.1:\(relay.port)/")))
        request.assumesHTTP3Capable = true
        try await body(server, relay, session, clock, request)
        session.invalidateAndCancel()
        #expect(await ClosedPort.isLeft(relay.port))
        withExtendedLifetime(closed) {}
      }
    }
  }

  @Test func appMayTakeItsTimeWhereTCPIsRefused() async throws {
    let judge = ChallengeDelegate { _ in nil }
    try await serveWithoutTCP(judge) { _, session, clock, request async throws in
      async let text = session.text(for: request).0
      await judge.wasAsked.wait()
      for _ in 0..<10 {
        clock.advance(by: 1)
        await Task.yield()
      }
      judge.release(.performDefaultHandling)
      #expect(try await text == "ok")
      #expect(judge.asked.count == 1)
    }
  }

  /// Servers drop a handshake that takes long. The relay drops the client's next flight, as a server does that has dropped the handshake.
  @Test func appMayTakeLongerThanTheServerWaits() async throws {
    let judge = ChallengeDelegate { _ in nil }
    try await relayWithoutTCP(judge) { server, relay, session, clock, request async throws in
      async let text = session.text(for: request).0
      await judge.wasAsked.wait()
      clock.advance(by: 20)
      relay.conduct.isBlackhole = true
      let lost = relay.counts.lost
      judge.release(.performDefaultHandling)
      try await relay.wait { $0.lost > lost }
      clock.advance(by: 4)
      relay.conduct.isBlackhole = false
      #expect(try await text == "ok")
      #expect(judge.asked.count == 1 && server.requestCount == 1)
    }
  }

  @Test func loadThatIsCancelledDuringTheQuestionEndsAlone() async throws {
    let judge = ChallengeDelegate { _ in nil }
    try await serveWithoutTCP(judge) { server, session, _, request async throws in
      let log = CompletionLog()
      let task = session.dataTask(with: request, completionHandler: log.handler)
      task.resume()
      await judge.wasAsked.wait()
      task.cancel()
      #expect(await log.call().code == NSURLErrorCancelled)
      judge.release(.performDefaultHandling)
      // It was no word on the place.
      async let text = session.text(for: request).0
      await judge.wasAsked.wait()
      judge.release(.performDefaultHandling)
      #expect(try await text == "ok")
      #expect(server.requestCount == 1)
    }
  }

  /// The answer about one load's handshake is for the others with its delegate as well: none of them ends with TCP's failure before it.
  @Test func loadsOfOneAppWaitForItsAnswer() async throws {
    let judge = ChallengeDelegate { _ in nil }
    try await serveWithoutTCP(judge) { server, session, clock, request async throws in
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<5 { group.addTask { try await session.text(for: request).0 } }
        await judge.wasAsked.wait()
        for _ in 0..<10 {
          clock.advance(by: 1)
          await Task.yield()
        }
        judge.release(.performDefaultHandling)
        for try await text in group { #expect(text == "ok") }
      }
      #expect(judge.asked.count == 1 && server.requestCount == 5)
    }
  }

  /// Begins so many loads, and returns what tells of their ends by their identifiers.
  private func begin(_ count: Int, of request: URLRequest, _ session: URLSession) -> [Int: CompletionLog] {
    var logs: [Int: CompletionLog] = [:]
    for _ in 0..<count {
      let log = CompletionLog()
      let task = session.dataTask(with: request, completionHandler: log.handler)
      logs[task.taskIdentifier] = log
      task.resume()
    }
    return logs
  }

  /// Which of them is asked isn't known before.
  @Test func loadsAreAskedInThePlaceOfOneThatIsCancelled() async throws {
    let judge = TaskJudge(open: 2)
    try await serveWithoutTCP(judge) { server, session, clock, request async throws in
      var logs = begin(5, of: request, session)
      for _ in 0..<2 {
        let asked = try #require(await judge.nextOpen())
        clock.advance(by: 1)
        asked.cancel()
        #expect(await logs.removeValue(forKey: asked.taskIdentifier)?.call().code == NSURLErrorCancelled)
      }
      for log in logs.values {
        let call = await log.call()
        #expect(call.code == nil, "\(String(describing: call.error))")
      }
      #expect(logs.count == 3 && judge.count == 3 && server.requestCount == 3)
    }
  }

  @Test func loadsWhoseAppRefusesTheServerEnd() async throws {
    try await serveWithoutTCP(ChallengeDelegate(.cancelAuthenticationChallenge)) { server, session, _, request async throws in
      for _ in 0..<3 { #expect(await session.failure(of: request) != nil) }
      #expect(server.requestCount == 0)
    }
  }

  /// Each load's app decides for itself: neither the refusal nor TCP's failure, which was kept meanwhile, is the other load's.
  @Test func loadBesideACancelledOneIsAsked() async throws {
    let judge = TaskJudge(open: 1)
    try await serveWithoutTCP(judge) { server, session, _, request async throws in
      var logs = begin(2, of: request, session)
      let asked = try #require(await judge.nextOpen())
      judge.answer(.cancelAuthenticationChallenge)
      #expect(await logs.removeValue(forKey: asked.taskIdentifier)?.call().code == NSURLErrorCancelled)
      #expect(await logs.values.first?.call().code == nil)
      #expect(judge.count == 2 && server.requestCount == 1)
      // The refusal was no word on the place: the next load uses the connection.
      #expect(try await session.text(for: request).0 == "ok")
      #expect(judge.count == 2)
    }
  }

  /// TCP leads to the same server, about which the app isn't asked again. The next load asks it anew.
  @Test func refusalOverQUICEndsTheLoadWhereTCPIsSilent() async throws {
    let judge = ChallengeDelegate(.cancelAuthenticationChallenge)
    try await Wire.h3.serve { server, configuration async throws in
      try await DatagramRelay.with(server.port) { relay async throws in
        let silent = try ClosedPort(relay.port)
        // The socket's backlog completes TCP connections; no TLS handshake is ever answered.
        try #require(listen(silent.descriptor, 8) == 0)
        configuration.httpVersions = .all
        configuration.use(ManualClock())
        let session = URLSession(configuration: configuration, delegate: judge, delegateQueue: nil)
        var request = URLRequest(url: try #require(URL(string: "https://127.0.0.1:\(relay.port)/")))
        request.assumesHTTP3Capable = true
        for count in 1...3 {
          #expect(await session.failure(of: request)?.code == .cancelled)
          #expect(judge.asked.count == count)
        }
        #expect(server.requestCount == 0)
        session.invalidateAndCancel()
        withExtendedLifetime(silent) {}
      }
    }
  }
}

/// Leaves the first questions open and answers the later ones; tells whose each is.
private final class TaskJudge: NSObject, URLSessionTaskDelegate {
  private let open: Int
  private typealias Completion = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  /// Those without an answer keep their completion: one that is released counts as a refusal.
  private let asked = Mutex<[(task: URLSessionTask, completion: Completion)]>([])
  private let wasAsked = Signal()

  init(open: Int) { self.open = open }

  var count: Int { asked.withLock { $0.count } }

  /// Answers the last question.
  func answer(_ disposition: URLSession.AuthChallengeDisposition) { asked.withLock { $0.last }?.completion(disposition, nil) }

  /// The task of the next question.
  func nextOpen() async -> URLSessionTask? {
    await wasAsked.wait()
    return asked.withLock { $0.last?.task }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let isOpen = asked.withLock { asked in
      asked.append((task, completionHandler))
      return asked.count <= open
    }
    if !isOpen { completionHandler(.performDefaultHandling, nil) }
    wasAsked.send()
  }
}
