import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Challenges that an app's own protocol class raises.
@Suite(.timeLimit(.minutes(10))) struct ProtocolChallengeTests {
  /// Asks for a credential and replies with what it was answered.
  private final class AskingProtocol: URLProtocol, URLAuthenticationChallengeSender, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "asking" }

    override func startLoading() {
      let space = URLProtectionSpace(
        host: "host", port: 1, protocol: "asking", realm: "own", authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
      let challenge = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil, sender: self)
      client?.urlProtocol(self, didReceive: challenge)
    }

    private func reply(_ text: String) {
      guard let url = request.url else { return }
      let response = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: -1, textEncodingName: nil)
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data(text.utf8))
      client?.urlProtocolDidFinishLoading(self)
    }

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) { reply("use \(credential.user ?? "-")") }
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { reply("continue") }
    func cancel(_ challenge: URLAuthenticationChallenge) {
      client?.urlProtocol(self, didFailWithError: URLError(.userCancelledAuthentication))
    }
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) { reply("default") }
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { reply("reject") }
  }

  private func session(_ delegate: ChallengeAnswerer?) -> URLSession {
    let configuration = URLSessionConfiguration.testing()
    configuration.protocolClasses = [AskingProtocol.self]
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  private let url = URL(string: "asking://host/")

  private static let answers: [(URLSession.AuthChallengeDisposition, String?, String)] = [
    (.useCredential, "u", "use u"), (.useCredential, nil, "continue"), (.performDefaultHandling, nil, "default"),
    (.rejectProtectionSpace, nil, "reject"),
  ]

  @Test(arguments: answers)
  func answerReachesTheSender(_ disposition: URLSession.AuthChallengeDisposition, _ user: String?, _ text: String) async throws {
    let delegate = ChallengeAnswerer { _ in
      (disposition, user.map { URLCredential(user: $0, password: "p", persistence: .none) })
    }
    let session = session(delegate)
    let url = try #require(url)
    let (data, _) = try await session.data(from: url)
    #expect(String(decoding: data, as: UTF8.self) == text)
    #expect(delegate.asked.map(\.realm) == ["own"])
    session.invalidateAndCancel()
  }

  @Test func cancellingIsTheProtocolsAffair() async throws {
    let session = session(ChallengeAnswerer { _ in (.cancelAuthenticationChallenge, nil) })
    let url = try #require(url)
    #expect(await session.failure(of: url)?.code == .userCancelledAuthentication)
    session.invalidateAndCancel()
  }

  @Test func withNobodyToAskDefaultHandlingApplies() async throws {
    let session = session(nil)
    let url = try #require(url)
    let (data, _) = try await session.data(from: url)
    #expect(String(decoding: data, as: UTF8.self) == "default")
    session.invalidateAndCancel()
  }

  /// Answers when it is told to.
  private final class SlowAnswerer: NSObject, URLSessionTaskDelegate {
    let asked = Signal()
    let goesOn = Signal()

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      asked.send()
      await goesOn.wait()
      return (.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
    }
  }

  /// A session of virtual time whose request timeout is ten seconds.
  private func session(_ protocolClass: URLProtocol.Type, _ delegate: any URLSessionDelegate, _ clock: ManualClock) -> URLSession {
    let configuration = URLSessionConfiguration.testing(clock: clock)
    configuration.protocolClasses = [protocolClass]
    configuration.timeoutIntervalForRequest = 10
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  @Test func requestTimeoutStandsStillUntilTheAnswer() async throws {
    let (clock, delegate) = (ManualClock(), SlowAnswerer())
    let session = session(AskingProtocol.self, delegate, clock)
    let url = try #require(url)
    let load = Task { try await session.data(from: url).0 }
    await delegate.asked.wait()
    for _ in 0..<3 {
      clock.advance(by: 10)
      await session.barrier()
    }
    delegate.goesOn.send()
    #expect(String(decoding: try await load.value, as: UTF8.self) == "use u")
    session.invalidateAndCancel()
  }

  /// Asks for a credential, needs none any more, and never replies.
  private final class UndecidedProtocol: URLProtocol, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "asking" }

    override func startLoading() {
      let space = URLProtectionSpace(
        host: "host", port: 1, protocol: "asking", realm: "own", authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
      let challenge = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil, sender: SilentSender())
      client?.urlProtocol(self, didReceive: challenge)
      client?.urlProtocol(self, didCancel: challenge)
      UndecidedProtocol.cancelled.send()
    }

    static let cancelled = Signal()
  }

  @Test func requestTimeoutRunsOnceTheChallengeIsCancelled() async throws {
    let (clock, delegate) = (ManualClock(), SlowAnswerer())
    let session = session(UndecidedProtocol.self, delegate, clock)
    let url = try #require(url)
    let load = Task { await session.failure(of: url) }
    await delegate.asked.wait()
    await UndecidedProtocol.cancelled.wait()
    await session.barrier()
    clock.advance(by: 10)
    #expect(await load.value?.code == .timedOut)
    delegate.goesOn.send()
    session.invalidateAndCancel()
  }

  /// Asks for a credential when it is stopped.
  private final class LateAskingProtocol: URLProtocol, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "asking" }
    override func startLoading() { LateAskingProtocol.started.send() }

    override func stopLoading() {
      let space = URLProtectionSpace(
        host: "host", port: 1, protocol: "asking", realm: "late", authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
      let challenge = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil, sender: SilentSender())
      client?.urlProtocol(self, didReceive: challenge)
      LateAskingProtocol.asked.send()
    }

    static let started = Signal()
    static let asked = Signal()
  }

  private final class SilentSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
  }

  @Test func nobodyIsAskedAfterTheEnd() async throws {
    let delegate = ChallengeAnswerer { _ in (.performDefaultHandling, nil) }
    let configuration = URLSessionConfiguration.testing()
    configuration.protocolClasses = [LateAskingProtocol.self]
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    let recorder = DelegateRecorder()
    let task = session.dataTask(with: try #require(url))
    task.delegate = recorder
    task.resume()
    await LateAskingProtocol.started.wait()
    task.cancel()
    #expect((await recorder.completion(of: task) as? URLError)?.code == .cancelled)
    await LateAskingProtocol.asked.wait()
    #expect(delegate.asked.isEmpty)
    session.invalidateAndCancel()
  }
}
