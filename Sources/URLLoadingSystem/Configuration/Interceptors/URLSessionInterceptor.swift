public import Foundation
import LoadingModel

/// The app's code around each load of a session: it may change the request, look at the response, answer by itself, or send again. An addition
/// to Apple's API.
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
/// Called once for each load of every kind of task but stream tasks, before all that the loader does for it: redirects, challenges, cookies,
/// the cache and repetitions by a `retryPolicy` are inside of `next`. Fields that it sets are treated as those of the task's own request:
/// `Authorization`, for one, isn't sent on by a redirect to another origin. A resumed download whose server has another file by now begins
/// anew, and is intercepted again.
///
/// It runs in a Swift task of its own, off the event loop. The load's own end cancels that task and isn't held up by it. Time that passes in
/// it counts for `timeoutIntervalForResource` alone.
public protocol URLSessionInterceptor: Sendable {
  /// Answers `request`, mostly by what `next` returns.
  /// - Parameters:
  ///   - request: With the configuration's additional header fields, without those that the loader adds. The body of a file is there as
  ///     `httpBodyStream`, to be read; the body of an upload task that can be resumed stays what it is.
  ///   - next: Has a request sent.
  /// - Throws: What the task is to fail with: any error reaches it as it is.
  func intercept(_ request: URLRequest, _ next: URLSessionInterceptorChain) async throws -> URLSessionInterceptedResponse
}

/// What is behind an interceptor: the ones that follow it in the list, and the loader. An addition to Apple's API.
public struct URLSessionInterceptorChain: Sendable {
  private let send: @Sendable (URLRequest) async throws -> URLSessionInterceptedResponse

  /// A chain for tests of interceptors.
  /// - Parameter send: Takes the place of what is behind.
  public init(_ send: @escaping @Sendable (URLRequest) async throws -> URLSessionInterceptedResponse) { self.send = send }

  /// Sends `request`, and returns as soon as the head of its response is there; the body follows when the task reads it.
  ///
  /// May be called again, one call after the other: then the body of the response before is discarded, and the task's metrics have a
  /// transaction for each. A request body that can't be produced again fails with `requestBodyStreamExhausted` the second time.
  ///
  /// A Swift task that waits in a call may be cancelled, such as a child task whose time is over: the call then ends at once, the request with it, and
  /// the load goes on. The interceptor may send again, or answer by itself.
  /// - Throws: `URLError`, `.cancelled` of a task that was cancelled, or what an interceptor or a `URLProtocol` behind has thrown.
  public func callAsFunction(_ request: URLRequest) async throws -> URLSessionInterceptedResponse { try await send(request) }
}

/// A response on its way to the task. An addition to Apple's API.
public struct URLSessionInterceptedResponse: Sendable {
  enum Source: Sendable {
    case loaded(InterceptedCall.Head)
    case made(Data)
  }

  /// Its head; an `HTTPURLResponse` where HTTP was used.
  public let response: URLResponse
  let source: Source

  init(_ response: URLResponse, _ source: Source) { (self.response, self.source) = (response, source) }

  /// A response of the app's own, which the task gets as if it had been loaded.
  /// - Parameter data: Its body.
  public init(_ response: HTTPURLResponse, _ data: Data = Data()) { self.init(response, .made(data)) }

  /// The status; nil where HTTP wasn't used.
  public var statusCode: Int? { (response as? HTTPURLResponse)?.statusCode }
}

extension URLSessionConfiguration {
  /// The app's code around each load, the first one outermost. An addition to Apple's API. Default: none.
  ///
  /// Background sessions have none: their loads take place in another process.
  public var interceptors: [any URLSessionInterceptor] {
    get { values.withLock { $0.interceptors } }
    set { values.withLock { $0.interceptors = newValue } }
  }
}
