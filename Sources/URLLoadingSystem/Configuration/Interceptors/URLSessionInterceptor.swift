public import Foundation
import LoadingModel

/// Code of the app's around each load of a session: it may change the request, look at the response, answer by itself, or send again. An addition to
/// Apple's API.
///
///     struct Stamped: URLSessionInterceptor {
///       func intercept(_ request: URLRequest, _ next: URLSessionInterceptorChain) async throws -> URLSessionInterceptedResponse {
///         var request = request
///         request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
///         return try await next(request)
///       }
///     }
///     configuration.interceptors = [Stamped()]
///
/// Called once for each load of every kind of task except stream tasks. Everything the loader does for the load happens within `next`: redirects,
/// challenges, cookies, the cache and repetitions by a `retryPolicy`. Fields that it sets are treated as those of the task's own request:
/// `Authorization`, for example, isn't sent on by a redirect to another origin. If the file of a resumed download has changed on the server, the
/// download begins anew and is intercepted again.
///
/// It runs in a Swift task of its own, off the event loop. The end of the load cancels that task without waiting for it. The time that it takes
/// counts only for `timeoutIntervalForResource`.
public protocol URLSessionInterceptor: Sendable {
  /// Answers `request`, usually with the result of `next`.
  /// - Parameters:
  ///   - request: The task's request with the configuration's additional header fields, without those that the loader adds. The body of a file is in
  ///     `httpBodyStream`, to be read; the body of an upload task that can be resumed isn't shown.
  ///   - next: Sends a request.
  /// - Throws: The error with which the task is to fail; any error reaches the task unchanged.
  func intercept(_ request: URLRequest, _ next: URLSessionInterceptorChain) async throws -> URLSessionInterceptedResponse
}

/// What an interceptor calls to send a request: the interceptors after it in the list, and then the loader. An addition to Apple's API.
public struct URLSessionInterceptorChain: Sendable {
  private let send: @Sendable (URLRequest) async throws -> URLSessionInterceptedResponse

  /// A chain for tests of interceptors.
  /// - Parameter send: Answers requests in place of the interceptors that follow and the loader.
  public init(_ send: @escaping @Sendable (URLRequest) async throws -> URLSessionInterceptedResponse) { self.send = send }

  /// Sends `request`, and returns as soon as the head of its response is there; the body follows when the task reads it.
  ///
  /// May be called again after the call before has returned: the body of the earlier response is discarded, and the task's metrics have a transaction
  /// for each. If the request's body can't be produced again, the second call fails with `requestBodyStreamExhausted`.
  ///
  /// Cancelling the Swift task that waits in the call, such as a child task with a time limit, ends the call and its request at once; the load goes
  /// on, and the interceptor may send again or answer by itself.
  /// - Throws: `URLError`, `.cancelled` if the Swift task was cancelled, or the error of a later interceptor or of a `URLProtocol`.
  public func callAsFunction(_ request: URLRequest) async throws -> URLSessionInterceptedResponse { try await send(request) }
}

/// A response that interceptors return to the task. An addition to Apple's API.
public struct URLSessionInterceptedResponse: Sendable {
  enum Source: Sendable {
    case loaded(InterceptedCall.Head)
    case made(Data)
  }

  /// The response's head: an `HTTPURLResponse` if it came by HTTP.
  public let response: URLResponse
  let source: Source

  init(_ response: URLResponse, _ source: Source) { (self.response, self.source) = (response, source) }

  /// A response that the app makes itself; the task gets it as if it had been loaded.
  /// - Parameter data: The response's body.
  public init(_ response: HTTPURLResponse, _ data: Data = Data()) { self.init(response, .made(data)) }

  /// The response's status, such as 200; nil if it didn't come by HTTP.
  public var statusCode: Int? { (response as? HTTPURLResponse)?.statusCode }
}

extension URLSessionConfiguration {
  /// The interceptors of each load; the first one is called first, and calls the next. An addition to Apple's API. Default: none.
  ///
  /// Background sessions have none: their loads take place in another process.
  public var interceptors: [any URLSessionInterceptor] {
    get { values.withLock { $0.interceptors } }
    set { values.change { $0.interceptors = newValue } }
  }
}
