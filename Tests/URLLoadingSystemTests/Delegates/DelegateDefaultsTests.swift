import Foundation
import Testing

@testable import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct DelegateDefaultsTests {
  @Test func defaultCalledDirectlyGivesTheDocumentedAnswer() throws {
    let scene = try DelegateScene()
    let silent = SilentDelegate()
    let log = DelegateLog()
    let cached = CachedURLResponse(response: scene.redirect, data: Data())
    for _ in 0..<2 {
      silent.urlSession(scene.session, task: scene.task, willPerformHTTPRedirection: scene.redirect, newRequest: scene.request) {
        log.note($0 == scene.request ? "follow" : "refuse")
      }
      silent.urlSession(scene.session, dataTask: scene.task, didReceive: scene.redirect) { log.note("\($0)") }
      silent.urlSession(scene.session, dataTask: scene.task, willCacheResponse: cached) {
        log.note($0 === cached ? "store" : "discard")
      }
      silent.urlSession(scene.session, didReceive: scene.challenge(NSURLAuthenticationMethodNTLM)) { disposition, _ in
        log.note("\(disposition)")
      }
      silent.urlSession(scene.session, task: scene.task, willBeginDelayedRequest: scene.request) { disposition, _ in
        log.note("\(disposition)")
      }
      silent.urlSession(scene.session, task: scene.task, needNewBodyStream: { log.note($0 == nil ? "no stream" : "stream") })
    }
    let round = ["follow", "allow", "store", "performDefaultHandling", "continueLoading", "no stream"]
    #expect(log.entries == round + round)
  }

  @Test func asyncDefaultCalledDirectlyGivesTheDocumentedAnswer() async throws {
    final class Fresh: NSObject, URLSessionDataDelegate {}
    let scene = try DelegateScene()
    let silent = Fresh()
    for _ in 0..<2 {
      let request = await silent.urlSession(
        scene.session, task: scene.task, willPerformHTTPRedirection: scene.redirect, newRequest: scene.request)
      let disposition = await silent.urlSession(scene.session, dataTask: scene.task, didReceive: scene.redirect)
      #expect(request == scene.request)
      #expect(disposition == .allow)
    }
  }

  @Test func plainDefaultReachesTheAsyncSpelling() async throws {
    let scene = try DelegateScene()
    let delegate: any URLSessionTaskDelegate = AsyncDelegate(redirectTo: scene.otherRequest)
    for _ in 0..<2 {
      let request = await withCheckedContinuation { continuation in
        delegate.urlSession(
          scene.session, task: scene.task, willPerformHTTPRedirection: scene.redirect, newRequest: scene.request
        ) { continuation.resume(returning: $0) }
      }
      #expect(request == scene.otherRequest)
    }
  }

  @Test func asyncDefaultReachesThePlainSpelling() async throws {
    let scene = try DelegateScene()
    let delegate: any URLSessionDataDelegate = PlainDelegate(redirectTo: scene.otherRequest)
    for _ in 0..<2 {
      let request = await delegate.urlSession(
        scene.session, task: scene.task, willPerformHTTPRedirection: scene.redirect, newRequest: scene.request)
      let disposition = await delegate.urlSession(scene.session, dataTask: scene.task, didReceive: scene.redirect)
      #expect(request == scene.otherRequest)
      #expect(disposition == .becomeDownload)
    }
  }

  @Test func defaultsOfOneDelegateDoNotDisturbTheProbeOfAnother() throws {
    final class Forwarder: NSObject, URLSessionDataDelegate {
      let inner = SilentDelegate()
      func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        inner.urlSession(session, dataTask: dataTask, didReceive: data)
      }
    }
    let scene = try DelegateScene()
    let messages = DelegateMessages(Forwarder())
    #expect(messages.didReceiveData(scene.session, scene.task, Data()))
    #expect(messages.mayImplement(.didReceiveData))
  }

  @Test func droppedHandlerDeclines() throws {
    let scene = try DelegateScene()
    let log = DelegateLog()
    let messages = DelegateMessages(ForgetfulDelegate())
    for _ in 0..<2 {
      messages.willPerformHTTPRedirection(scene.session, scene.task, scene.redirect, newRequest: scene.request) { answer in
        answer.pass { log.note($0 == nil ? "refuse" : "follow") }
      }
    }
    let challenge = scene.challenge(NSURLAuthenticationMethodServerTrust)
    messages.didReceiveSessionChallenge(scene.session, challenge) { $0.pass { log.note("\($0.0)") } }
    #expect(log.entries == ["refuse", "refuse", "cancelAuthenticationChallenge"])
  }

  @Test func secondAnswerIsIgnored() throws {
    let scene = try DelegateScene()
    let log = DelegateLog()
    DelegateMessages(ForgetfulDelegate()).didReceiveResponse(scene.session, scene.task, scene.redirect) { answer in
      answer.pass { log.note("\($0)") }
    }
    #expect(log.entries == ["allow"])
  }
}

/// Never calls a completion handler, or calls it too often.
private final class ForgetfulDelegate: NSObject, URLSessionDataDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {}

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {}

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    completionHandler(.allow)
    completionHandler(.cancel)
  }
}
