import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// The session's cache as an app's protocol class uses it.
@Suite(.timeLimit(.minutes(10))) struct URLProtocolCacheTests {
  private let cache = URLCache(memoryCapacity: 4_000_000, diskCapacity: 0)

  /// Answers from the cache where it holds something, else "loaded", which may be stored as `policy` says.
  private func url(_ policy: URLCache.StoragePolicy, fields: [String: String]? = nil) throws -> URL {
    try ScriptedProtocol.url { scripted in
      if let cached = scripted.cachedResponse {
        scripted.client?.urlProtocol(scripted, cachedResponseIsValid: cached)
      } else {
        scripted.reply(["loa", "ded"], policy: policy, fields: fields)
      }
    }
  }

  private func stored(_ url: URL) -> String? {
    cache.cachedResponse(for: URLRequest(url: url)).map { String(decoding: $0.data, as: UTF8.self) }
  }

  @Test(arguments: [URLCache.StoragePolicy.allowed, .allowedInMemoryOnly])
  func allowedResponseIsStoredAndShownToTheNextInstance(_ policy: URLCache.StoragePolicy) async throws {
    let recorder = DelegateRecorder()
    let session = ScriptedProtocol.session(delegate: recorder, cache: cache)
    let url = try url(policy, fields: ["X-Name": "value"])
    #expect(try await session.text(from: url).0 == "loaded")
    #expect(stored(url) == "loaded")
    #expect(cache.cachedResponse(for: URLRequest(url: url))?.storagePolicy == policy)
    let task = session.dataTask(with: url)
    task.resume()
    #expect(await recorder.completion(of: task) == nil)
    #expect(recorder.body == Data("loaded".utf8))
    #expect((task.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Name") == "value")
    #expect(recorder.metrics?.transactionMetrics.map(\.resourceFetchType) == [.localCache])
    session.invalidateAndCancel()
  }

  @Test func responseThatIsNotAllowedIsNotStored() async throws {
    let session = ScriptedProtocol.session(cache: cache)
    let url = try url(.notAllowed)
    _ = try await session.data(from: url)
    #expect(stored(url) == nil)
    session.invalidateAndCancel()
  }

  @Test func plainResponseIsStored() async throws {
    let session = ScriptedProtocol.session(cache: cache)
    let url = try ScriptedProtocol.url { scripted in
      guard let url = scripted.request.url else { return }
      let response = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: 5, textEncodingName: "utf-8")
      scripted.client?.urlProtocol(scripted, didReceive: response, cacheStoragePolicy: .allowed)
      scripted.client?.urlProtocol(scripted, didLoad: Data("plain".utf8))
      scripted.client?.urlProtocolDidFinishLoading(scripted)
    }
    _ = try await session.data(from: url)
    #expect(stored(url) == "plain")
    #expect(cache.cachedResponse(for: URLRequest(url: url))?.response.mimeType == "text/plain")
    session.invalidateAndCancel()
  }

  @Test(arguments: [URLRequest.CachePolicy.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData])
  func policyThatIgnoresTheCacheHidesIt(_ policy: URLRequest.CachePolicy) async throws {
    let session = ScriptedProtocol.session(cache: cache)
    let seen = Mutex<[Bool]>([])
    let url = try ScriptedProtocol.url { scripted in
      seen.withLock { $0.append(scripted.cachedResponse != nil) }
      scripted.reply(["x"], policy: .allowed)
    }
    _ = try await session.data(from: url)
    _ = try await session.data(for: URLRequest(url: url, cachePolicy: policy))
    _ = try await session.data(for: URLRequest(url: url, cachePolicy: .returnCacheDataElseLoad))
    #expect(seen.withLock { $0 } == [false, false, true])
    session.invalidateAndCancel()
  }

  @Test func whatFailsOrIsForbiddenIsNotStored() async throws {
    let session = ScriptedProtocol.session(cache: cache)
    let failing = try ScriptedProtocol.url { scripted in
      scripted.reply(["part"], isComplete: false, policy: .allowed)
      scripted.fail(URLError(.networkConnectionLost))
    }
    #expect(await errorCode { _ = try await session.data(from: failing) } == URLError.networkConnectionLost.rawValue)
    #expect(stored(failing) == nil)
    let forbidden = try url(.allowed, fields: ["Cache-Control": "no-store"])
    _ = try await session.data(from: forbidden)
    #expect(stored(forbidden) == nil)
    let posted = try url(.allowed)
    var request = URLRequest(url: posted)
    request.httpMethod = "POST"
    _ = try await session.data(for: request)
    #expect(stored(posted) == nil)
    session.invalidateAndCancel()
  }

  @Test func downloadIsNotStored() async throws {
    let session = ScriptedProtocol.session(cache: cache)
    let url = try url(.allowed)
    let (file, _) = try await session.download(from: url)
    try FileManager.default.removeItem(at: file)
    #expect(stored(url) == nil)
    session.invalidateAndCancel()
  }

  @Test func delegateIsAskedAfterTheDataAndItsAnswerCounts() async throws {
    for (answer, expected) in [(CacheAnswer.asProposed, "loaded"), (.changed("changed"), "changed"), (.refused, nil)] {
      let delegate = AnsweringDelegate(answer)
      let session = ScriptedProtocol.session(delegate: delegate, cache: cache)
      let url = try url(.allowedInMemoryOnly)
      let task = session.dataTask(with: url)
      task.resume()
      await delegate.end.wait()
      #expect(delegate.messages == ["data", "data", "cache loaded 1", "end"])
      #expect(stored(url) == expected)
      session.invalidateAndCancel()
    }
  }

  @Test func subclassIsAskedThroughItsMethods() async throws {
    let cache = KeepingCache(memoryCapacity: 4_000_000, diskCapacity: 0, directory: nil)
    let session = ScriptedProtocol.session(cache: cache)
    let url = try url(.allowed)
    for _ in 0..<2 { #expect(try await session.text(from: url).0 == "loaded") }
    #expect(cache.calls == ["get", "store loaded", "get"])
    session.invalidateAndCancel()
  }
}

private enum CacheAnswer: Sendable {
  case asProposed
  case changed(String)
  case refused
}

/// Answers the question whether to store, and notes the order of what it is told.
private final class AnsweringDelegate: NSObject, URLSessionDataDelegate {
  private let answer: CacheAnswer
  private let log = Mutex<[String]>([])
  let end = Signal()

  init(_ answer: CacheAnswer) { self.answer = answer }

  var messages: [String] { log.withLock { $0 } }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { log.withLock { $0.append("data") } }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    let body = String(decoding: proposedResponse.data, as: UTF8.self)
    log.withLock { $0.append("cache \(body) \(proposedResponse.storagePolicy.rawValue)") }
    switch answer {
    case .asProposed: completionHandler(proposedResponse)
    case .changed(let text): completionHandler(CachedURLResponse(response: proposedResponse.response, data: Data(text.utf8)))
    case .refused: completionHandler(nil)
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    log.withLock { $0.append(error == nil ? "end" : "error") }
    end.send()
  }
}

/// Keeps responses by the URLs of tasks, and notes its calls.
private final class KeepingCache: URLCache, @unchecked Sendable {
  // @unchecked: what it adds is behind mutexes.
  private let kept = Mutex<[URL: CachedURLResponse]>([:])
  private let log = Mutex<[String]>([])

  var calls: [String] { log.withLock { $0 } }

  override func getCachedResponse(
    for dataTask: URLSessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    log.withLock { $0.append("get") }
    completionHandler(dataTask.currentRequest?.url.flatMap { url in kept.withLock { $0[url] } })
  }

  override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask) {
    log.withLock { $0.append("store \(String(decoding: cachedResponse.data, as: UTF8.self))") }
    guard let url = dataTask.currentRequest?.url else { return }
    kept.withLock { $0[url] = cachedResponse }
  }
}
