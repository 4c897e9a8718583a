import Foundation
import Testing

@testable import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct DelegateChainTests {
  @Test func taskDelegateIsAskedBeforeTheSessions() throws {
    let scene = try DelegateScene()
    let (first, second) = (PlainDelegate(redirectTo: scene.otherRequest), PlainDelegate())
    let log = DelegateLog()
    let chain = DelegateChain(task: first, session: second)
    chain.willPerformHTTPRedirection(scene.session, scene.task, scene.redirect, newRequest: scene.request) {
      log.note($0?.url?.lastPathComponent ?? "none")
    }
    #expect(chain.didReceiveData(scene.session, scene.task, Data()))
    #expect(log.entries == ["other"])
    #expect(first.log.entries == ["redirect", "data 0"])
    #expect(second.log.entries.isEmpty)
  }

  @Test func whatTheTaskDelegateLacksGoesToTheSessions() async throws {
    final class CreationOnly: NSObject, URLSessionTaskDelegate {
      let log = DelegateLog()
      func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { log.note("created") }
    }
    let scene = try DelegateScene()
    let (first, second) = (CreationOnly(), AsyncDelegate(redirectTo: scene.otherRequest))
    let chain = DelegateChain(task: first, session: second)
    #expect(chain.didCreateTask(scene.session, scene.task))
    for _ in 0..<2 {
      let request = await withCheckedContinuation { continuation in
        chain.willPerformHTTPRedirection(scene.session, scene.task, scene.redirect, newRequest: scene.request) {
          continuation.resume(returning: $0)
        }
      }
      #expect(request == scene.otherRequest)
    }
    #expect(first.log.entries == ["created"])
    #expect(second.log.entries == ["redirect", "redirect"])
  }

  @Test func fallingThroughStaysOnTheCallingThread() throws {
    final class Fresh: NSObject, URLSessionDataDelegate {}
    final class ThreadNoting: NSObject, URLSessionDataDelegate {
      let log = DelegateLog()
      func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
      ) {
        log.note("\(ObjectIdentifier(Thread.current))")
        completionHandler(.allow)
      }
    }
    let scene = try DelegateScene()
    let second = ThreadNoting()
    DelegateChain(task: Fresh(), session: second).didReceiveResponse(scene.session, scene.task, scene.redirect) { _ in }
    #expect(second.log.entries == ["\(ObjectIdentifier(Thread.current))"])
  }

  @Test(arguments: [false, true])
  func nobodyImplementingGivesTheDocumentedAnswers(hasDelegates: Bool) throws {
    let scene = try DelegateScene()
    let log = DelegateLog()
    let chain = hasDelegates ? DelegateChain(task: SilentDelegate(), session: SilentDelegate()) : DelegateChain()
    let cached = CachedURLResponse(response: scene.redirect, data: Data())
    chain.willBeginDelayedRequest(scene.session, scene.task, scene.request) { log.note("\($0.0)") }
    chain.willPerformHTTPRedirection(scene.session, scene.task, scene.redirect, newRequest: scene.request) {
      log.note($0 == scene.request ? "follow" : "refuse")
    }
    chain.didReceiveChallenge(scene.session, scene.task, scene.challenge(NSURLAuthenticationMethodServerTrust)) {
      log.note("\($0.0)")
    }
    chain.needNewBodyStream(scene.session, scene.task) { log.note($0 == nil ? "no stream" : "stream") }
    chain.needNewBodyStream(scene.session, scene.task, from: 7) { log.note($0 == nil ? "no stream" : "stream") }
    chain.didReceiveResponse(scene.session, scene.task, scene.redirect) { log.note("\($0)") }
    chain.willCacheResponse(scene.session, scene.task, cached) { log.note($0 === cached ? "store" : "discard") }
    #expect(
      log.entries == ["continueLoading", "follow", "performDefaultHandling", "no stream", "no stream", "allow", "store"])
    #expect(!chain.didComplete(scene.session, scene.task, nil))
    #expect(!chain.mayImplement(.didComplete))
    #expect(!chain.mayAnswerChallenges)
  }

  @Test func oneObjectInBothRolesIsAskedOnce() throws {
    let delegate = SilentDelegate()
    #expect(DelegateChain(task: delegate, session: delegate).links.count == 1)
  }

  @Test(arguments: [
    (NSURLAuthenticationMethodServerTrust, "session"), (NSURLAuthenticationMethodClientCertificate, "session"),
    (NSURLAuthenticationMethodNTLM, "session"), (NSURLAuthenticationMethodNegotiate, "session"),
    (NSURLAuthenticationMethodHTTPBasic, "task"), (NSURLAuthenticationMethodDefault, "task"),
  ])
  func challengeGoesToTheMethodOfItsLevel(method: String, level: String) throws {
    let scene = try DelegateScene()
    let delegate = ChallengedDelegate()
    let chain = DelegateChain(session: delegate)
    chain.didReceiveChallenge(scene.session, scene.task, scene.challenge(method)) { _ in delegate.log.note("answered") }
    #expect(delegate.log.entries == [level, "answered"])
  }

  @Test func connectionChallengeFallsBackToTheTaskLevelMethod() async throws {
    let scene = try DelegateScene()
    let chain = DelegateChain(session: AsyncDelegate())
    let challenge = scene.challenge(NSURLAuthenticationMethodServerTrust)
    let verdict = await withCheckedContinuation { continuation in
      chain.didReceiveChallenge(scene.session, scene.task, challenge) { continuation.resume(returning: $0.0) }
    }
    #expect(verdict == .rejectProtectionSpace)
  }

  @Test func taskChallengeNeverGoesToTheSessionLevelMethod() throws {
    let scene = try DelegateScene()
    let delegate = SessionChallengedDelegate()
    let chain = DelegateChain(session: delegate)
    chain.didReceiveChallenge(scene.session, scene.task, scene.challenge(NSURLAuthenticationMethodHTTPBasic)) {
      delegate.log.note("\($0.0)")
    }
    #expect(delegate.log.entries == ["performDefaultHandling"])
  }

  @Test func challengeOfAStreamTaskGoesToTheTaskLevelMethod() throws {
    let scene = try DelegateScene()
    let delegate = ChallengedDelegate()
    let stream = URLSessionStreamTask(session: scene.session, identifier: 0, request: nil, pump: nil)
    let chain = DelegateChain(session: delegate)
    chain.didReceiveChallenge(scene.session, stream, scene.challenge(NSURLAuthenticationMethodServerTrust)) { _ in }
    #expect(delegate.log.entries == ["task"])
  }
}

private final class ChallengedDelegate: NSObject, URLSessionTaskDelegate {
  let log = DelegateLog()

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    log.note("session")
    completionHandler(.useCredential, nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    log.note("task")
    completionHandler(.useCredential, nil)
  }
}

private final class SessionChallengedDelegate: NSObject, URLSessionTaskDelegate {
  let log = DelegateLog()

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    log.note("session")
    completionHandler(.useCredential, nil)
  }
}
