import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Protocol classes that report more than one response.
@Suite(.timeLimit(.minutes(10))) struct URLProtocolPartTests {
  /// Reports a response, data, another response, and other data.
  private func url(_ policy: URLCache.StoragePolicy = .notAllowed, onStop: @escaping @Sendable () -> Void = {}) throws -> URL {
    try ScriptedProtocol.url { scripted in
      scripted.onStop = onStop
      scripted.reply(["o", "ne"], isComplete: false, policy: policy, fields: ["Content-Type": "text/a"])
      scripted.reply(["two"], policy: policy, fields: ["Content-Type": "text/b"])
    }
  }

  @Test func partsThatAnInnerSessionIsToldOfReachTheDelegateOneByOne() async throws {
    try await TestServer.with { server async throws in
      let body = "--b\r\nContent-Type: text/a\r\n\r\none\r\n--b\r\nContent-Type: text/b\r\n\r\ntwo\r\n--b--\r\n"
      server.route("/", reply: Reply(headers: ["Content-Type": "multipart/x-mixed-replace; boundary=b"], body: .text(body)))
      let cache = URLCache(memoryCapacity: 4_000_000, diskCapacity: 0)
      let configuration = URLSessionConfiguration.testing()
      configuration.protocolClasses = [ForwardingProtocol.self]
      configuration.urlCache = cache
      let parts = PartRecorder()
      let session = URLSession(configuration: configuration, delegate: parts, delegateQueue: nil)
      let request = try ForwardingProtocol.request(server.url())
      let task = session.dataTask(with: request)
      task.resume()
      #expect(await parts.completion() == nil)
      #expect(parts.parts.map(\.type) == ["multipart/x-mixed-replace", "text/a", "text/b"])
      #expect(parts.parts.map(\.data) == ["", "one", "two"].map { Data($0.utf8) })
      #expect(task.response?.mimeType == "text/b")
      #expect(task.countOfBytesReceived == 6)
      #expect(cache.cachedResponse(for: request) == nil)
      session.invalidateAndCancel()
    }
  }

  @Test func eachResponseComesBeforeItsData() async throws {
    let parts = PartRecorder()
    let session = ScriptedProtocol.session(delegate: parts)
    session.dataTask(with: try url()).resume()
    #expect(await parts.completion() == nil)
    #expect(parts.parts.map(\.type) == ["text/a", "text/b"])
    #expect(parts.parts.map(\.data) == ["one", "two"].map { Data($0.utf8) })
    session.invalidateAndCancel()
  }

  @Test func laterResponseThatIsRefusedEndsTheTask() async throws {
    let stopped = Signal()
    let parts = PartRecorder { $0 == 2 ? .cancel : .allow }
    let session = ScriptedProtocol.session(delegate: parts)
    session.dataTask(with: try url { stopped.send() }).resume()
    #expect(await parts.completion() == URLError.Code.cancelled.rawValue)
    await stopped.wait()
    #expect(parts.parts.map(\.data) == ["one", ""].map { Data($0.utf8) })
    session.invalidateAndCancel()
  }

  @Test func bytesOfSeveralResponsesAreNotStored() async throws {
    let cache = URLCache(memoryCapacity: 4_000_000, diskCapacity: 0)
    let session = ScriptedProtocol.session(cache: cache)
    let url = try url(.allowed)
    let (text, response) = try await session.text(from: url)
    #expect(text == "onetwo")
    #expect(response.mimeType == "text/a")
    #expect(cache.cachedResponse(for: URLRequest(url: url)) == nil)
    session.invalidateAndCancel()
  }
}

/// Loads through a session of its own, and tells its client all that the delegate there is told.
private final class ForwardingProtocol: URLProtocol, @unchecked Sendable {
  // @unchecked: nothing is stored but what the superclass stores.
  private static let field = "X-Forward"

  /// A request that is loaded from `target`.
  static func request(_ target: URL) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: "forwarded://host/")))
    request.setValue(target.absoluteString, forHTTPHeaderField: field)
    return request
  }

  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "forwarded" }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let target = request.value(forHTTPHeaderField: ForwardingProtocol.field).flatMap({ URL(string: $0) }) else { return }
    let session = URLSession(configuration: .testing(), delegate: Forwarder(self), delegateQueue: nil)
    session.dataTask(with: target).resume()
    session.finishTasksAndInvalidate()
  }

  override func stopLoading() {}

  private final class Forwarder: NSObject, URLSessionDataDelegate {
    private let forwarding: ForwardingProtocol

    init(_ forwarding: ForwardingProtocol) { self.forwarding = forwarding }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      forwarding.client?.urlProtocol(forwarding, didReceive: response, cacheStoragePolicy: .allowed)
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      forwarding.client?.urlProtocol(forwarding, didLoad: data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      if let error {
        forwarding.client?.urlProtocol(forwarding, didFailWithError: error)
      } else {
        forwarding.client?.urlProtocolDidFinishLoading(forwarding)
      }
    }
  }
}
