import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

/// Arguments for delegate messages; no task is ever resumed.
struct DelegateScene {
  let session = URLSession.shared
  let url: URL
  let request: URLRequest
  let redirect: HTTPURLResponse
  let task: URLSessionDataTask

  var streamTask: URLSessionStreamTask {
    URLSessionStreamTask(session: session, identifier: 0, request: nil, pump: nil)
  }

  init() throws {
    url = try #require(URL(string: "http://127.0.0.1/"))
    request = URLRequest(url: url)
    redirect = try #require(HTTPURLResponse(url: url, statusCode: 302, httpVersion: "HTTP/1.1", headerFields: nil))
    task = session.dataTask(with: url)
  }

  var otherRequest: URLRequest {
    var other = request
    other.url = url.appendingPathComponent("other")
    return other
  }

  func challenge(_ method: String) -> URLAuthenticationChallenge {
    let space = URLProtectionSpace(host: "127.0.0.1", port: 80, protocol: "http", realm: nil, authenticationMethod: method)
    return URLAuthenticationChallenge(
      protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
      sender: SilentSender())
  }
}

final class SilentSender: NSObject, URLAuthenticationChallengeSender {
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
  func cancel(_ challenge: URLAuthenticationChallenge) {}
}

/// What happened, in order; any thread.
final class DelegateLog: Sendable {
  private let lines = Mutex<[String]>([])
  var entries: [String] { lines.withLock { $0 } }
  func note(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Implements nothing.
final class SilentDelegate: NSObject, URLSessionDataDelegate, URLSessionStreamDelegate, URLSessionWebSocketDelegate {}

/// Knows only sessions.
final class SessionOnlyDelegate: NSObject, URLSessionDelegate {}

/// Implements its methods with completion handlers.
final class PlainDelegate: NSObject, URLSessionDataDelegate {
  let log = DelegateLog()
  let redirectTo: URLRequest?

  init(redirectTo: URLRequest? = nil) { self.redirectTo = redirectTo }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    log.note("redirect")
    completionHandler(redirectTo)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    log.note("data \(data.count)")
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    log.note("response")
    completionHandler(.becomeDownload)
  }
}

/// Implements its methods in the `async` spelling.
final class AsyncDelegate: NSObject, URLSessionDataDelegate {
  let log = DelegateLog()
  let redirectTo: URLRequest?

  init(redirectTo: URLRequest? = nil) { self.redirectTo = redirectTo }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? {
    await Task.yield()
    log.note("redirect")
    return redirectTo
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition {
    log.note("response")
    return .cancel
  }

  func urlSession(_ session: URLSession, needNewBodyStreamForTask task: URLSessionTask) async -> InputStream? {
    InputStream(data: Data([1, 2, 3]))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    (.rejectProtectionSpace, nil)
  }
}

/// Lives on the main actor.
@MainActor
final class MainActorDelegate: NSObject, URLSessionDataDelegate {
  private(set) var count = 0

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? {
    count += 1
    return request
  }

  nonisolated func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    Task { @MainActor in
      count += 1
      completionHandler(.becomeStream)
    }
  }
}
