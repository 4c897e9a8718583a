import Foundation

/// Messages that every kind of task sends.
///
/// An object set as a task's own `delegate` is asked first, method by method; what it does not implement is called on the session's
/// delegate.
@preconcurrency
public protocol URLSessionTaskDelegate: URLSessionDelegate {
  /// A task was created: the first message about it, sent on the creating thread before the task is returned.
  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

  /// A background task with an `earliestBeginDate` is about to start. By default the original request is loaded.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void)

  /// The `async` form of `urlSession(_:task:willBeginDelayedRequest:completionHandler:)`.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
  ) async -> (URLSession.DelayedRequestDisposition, URLRequest?)

  /// The task waits for a network, at most once per task and only if its configuration's `waitsForConnectivity` is set.
  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)

  /// The server asked for a redirect. By default it is followed.
  ///
  /// Answer with the proposed request, with another one, or with `nil` to take the redirect response itself as the result.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)

  /// The `async` form of `urlSession(_:task:willPerformHTTPRedirection:newRequest:completionHandler:)`.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest?

  /// The task was challenged to authenticate. By default the system's default handling applies.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// The `async` form of the task-level challenge method, `urlSession(_:task:didReceive:completionHandler:)`.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

  /// A streamed upload needs its body stream, for the first time or to send it again. By default there is none and the task fails.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)

  /// The `async` form of `urlSession(_:task:needNewBodyStream:)`.
  func urlSession(_ session: URLSession, needNewBodyStreamForTask task: URLSessionTask) async -> InputStream?

  /// A resumed streamed upload needs its body stream from `offset` bytes on. By default there is none.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
    completionHandler: @escaping @Sendable (InputStream?) -> Void)

  /// The `async` form of `urlSession(_:task:needNewBodyStreamFrom:completionHandler:)`.
  func urlSession(_ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64) async -> InputStream?

  /// Part of the request body was sent. Counts are in bytes; the expected total is -1 if unknown.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64)

  /// An informational response (1xx) other than 101 arrived before the final response.
  func urlSession(_ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse)

  /// The task's metrics are complete: sent once, before the completion message.
  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)

  /// The task is done: its last message.
  ///
  /// - Parameter error: `nil` on success; an HTTP error status is a success here.
  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}
