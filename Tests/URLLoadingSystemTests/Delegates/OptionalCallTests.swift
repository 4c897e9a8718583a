import Foundation
import Testing

import URLLoadingSystem

// No @testable: these calls are what apps write.
@Suite(.timeLimit(.minutes(10))) struct OptionalCallTests {
  @Test func callOfAnImplementedMethodIsMade() throws {
    let scene = try DelegateScene()
    let plain = PlainDelegate()
    let delegate: (any URLSessionDataDelegate)? = plain
    #expect(delegate?.urlSession?(scene.session, dataTask: scene.task, didReceive: Data(count: 2)) != nil)
    #expect(plain.log.entries == ["data 2"])
  }

  @Test func callOfAnAbsentMethodIsNil() throws {
    let scene = try DelegateScene()
    let log = DelegateLog()
    let delegate: (any URLSessionDataDelegate)? = SilentDelegate()
    for _ in 0..<2 {
      let data: Void? = delegate?.urlSession?(scene.session, dataTask: scene.task, didReceive: Data())
      let completion: Void? = delegate?.urlSession?(scene.session, task: scene.task, didCompleteWithError: nil)
      let invalid: Void? = delegate?.urlSession?(scene.session, didBecomeInvalidWithError: nil)
      let events: Void? = delegate?.urlSessionDidFinishEvents?(forBackgroundURLSession: scene.session)
      let response: Void? = delegate?.urlSession?(scene.session, dataTask: scene.task, didReceive: scene.redirect) { _ in
        log.note("called")
      }
      #expect(data == nil)
      #expect(completion == nil)
      #expect(invalid == nil)
      #expect(events == nil)
      #expect(response == nil)
    }
    #expect(log.entries.isEmpty)
  }

  @Test func callOnNoDelegateIsNil() throws {
    let scene = try DelegateScene()
    let delegate: (any URLSessionStreamDelegate)? = nil
    let stream = scene.streamTask
    #expect(delegate?.urlSession?(scene.session, readClosedFor: stream) == nil)
  }

  @Test func asyncCallGivesTheAnswerOrNil() async throws {
    let scene = try DelegateScene()
    let plain: (any URLSessionDataDelegate)? = PlainDelegate(redirectTo: scene.otherRequest)
    let silent: (any URLSessionDataDelegate)? = SilentDelegate()
    let disposition = await plain?.urlSession?(scene.session, dataTask: scene.task, didReceive: scene.redirect)
    let absent = await silent?.urlSession?(scene.session, dataTask: scene.task, didReceive: scene.redirect)
    let request = await plain?.urlSession?(
      scene.session, task: scene.task, willPerformHTTPRedirection: scene.redirect, newRequest: scene.request)
    #expect(disposition == .becomeDownload)
    #expect(absent == nil)
    #expect(request == scene.otherRequest)
  }

  @Test func methodReferenceStillFindsTheMethod() throws {
    let scene = try DelegateScene()
    let log = DelegateLog()
    let delegate: (any URLSessionTaskDelegate)? = PlainDelegate(redirectTo: scene.otherRequest)
    let method = delegate?.urlSession(_:task:willPerformHTTPRedirection:newRequest:completionHandler:)
    method?(scene.session, scene.task, scene.redirect, scene.request) { log.note($0?.url?.lastPathComponent ?? "none") }
    #expect(log.entries == ["other"])
  }

  @Test func propertyOfTheSameNameIsTheConformersOwn() {
    final class Owner: NSObject, URLSessionDataDelegate {
      let urlSession: URLSession
      init(_ session: URLSession) { urlSession = session }
      func held() -> URLSession { self.urlSession }
    }
    let owner = Owner(.shared)
    let inferred = owner.urlSession
    #expect(owner.held() === URLSession.shared)
    #expect(inferred === URLSession.shared)
  }

  @Test func proxyOfAProxyForwardsEverySpelling() async throws {
    let scene = try DelegateScene()
    let inner = AsyncDelegate(redirectTo: scene.otherRequest)
    let proxy: any URLSessionDataDelegate = ForwardingDelegate(ForwardingDelegate(inner))
    let request = await proxy.urlSession(
      scene.session, task: scene.task, willPerformHTTPRedirection: scene.redirect, newRequest: scene.request)
    let disposition = await proxy.urlSession(scene.session, dataTask: scene.task, didReceive: scene.redirect)
    #expect(request == scene.otherRequest)
    #expect(disposition == .cancel)
    #expect(inner.log.entries == ["redirect", "response"])
  }

  @Test func proxyOfASilentDelegateChoosesItsOwnAnswer() async throws {
    let scene = try DelegateScene()
    let proxy: any URLSessionDataDelegate = ForwardingDelegate(ForwardingDelegate(SilentDelegate()))
    let request = await proxy.urlSession(
      scene.session, task: scene.task, willPerformHTTPRedirection: scene.redirect, newRequest: scene.request)
    let disposition = await proxy.urlSession(scene.session, dataTask: scene.task, didReceive: scene.redirect)
    #expect(request == nil)
    #expect(disposition == .becomeStream)
  }
}

/// Hands every message on, as packages that observe sessions do.
private final class ForwardingDelegate: NSObject, URLSessionDataDelegate {
  private let inner: (any URLSessionDataDelegate)?

  init(_ inner: any URLSessionDataDelegate) { self.inner = inner }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let isForwarded =
      inner?.urlSession?(
        session, task: task, willPerformHTTPRedirection: response, newRequest: request, completionHandler: completionHandler) != nil
    if !isForwarded { completionHandler(nil) }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition {
    await inner?.urlSession?(session, dataTask: dataTask, didReceive: response) ?? .becomeStream
  }
}
