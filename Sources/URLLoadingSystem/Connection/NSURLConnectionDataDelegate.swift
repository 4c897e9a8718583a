import Foundation

/// Messages of a connection that delivers its response as data, piece by piece. Every method is optional.
@preconcurrency
public protocol NSURLConnectionDataDelegate: NSURLConnectionDelegate {
  /// A request is about to be sent: the connection's own, with a nil response, or a redirect's, with the response that redirected.
  ///
  /// Answer with the proposed request, with another one, or with nil: to take the redirect's response itself as the result, or, where the
  /// response is nil, to have the connection fail with `URLError.cancelled`. By default the proposed request is sent.
  func connection(_ connection: NSURLConnection, willSend request: URLRequest, redirectResponse response: URLResponse?) -> URLRequest?

  /// The response arrived. By default nothing happens.
  func connection(_ connection: NSURLConnection, didReceive response: URLResponse)

  /// The next bytes of the body, in order. By default nothing happens.
  func connection(_ connection: NSURLConnection, didReceive data: Data)

  /// The body must be sent again, and its stream has been read: answer with a stream that begins anew. By default there is none, and the
  /// connection fails with `URLError.requestBodyStreamExhausted`.
  func connection(_ connection: NSURLConnection, needNewBodyStream request: URLRequest) -> InputStream?

  /// Part of the body was sent. Counts are in bytes; the expected total is -1 if unknown. By default nothing happens.
  func connection(
    _ connection: NSURLConnection, didSendBodyData bytesWritten: Int, totalBytesWritten: Int, totalBytesExpectedToWrite: Int)

  /// The response is about to be stored in the cache: answer with it, with a changed one, or with nil to store nothing. By default it is
  /// stored as proposed.
  func connection(_ connection: NSURLConnection, willCacheResponse cachedResponse: CachedURLResponse) -> CachedURLResponse?

  /// The load succeeded, whatever the HTTP status; the last message. By default nothing happens.
  func connectionDidFinishLoading(_ connection: NSURLConnection)
}

extension NSURLConnectionDataDelegate {
  /// Default implementation: sends the proposed request.
  public func connection(
    _ connection: NSURLConnection, willSend request: URLRequest, redirectResponse response: URLResponse?
  ) -> URLRequest? { request }

  /// Default implementation: does nothing.
  public func connection(_ connection: NSURLConnection, didReceive response: URLResponse) {}

  /// Default implementation: does nothing.
  public func connection(_ connection: NSURLConnection, didReceive data: Data) {}

  /// Default implementation: returns nil, so that a body stream isn't sent again.
  public func connection(_ connection: NSURLConnection, needNewBodyStream request: URLRequest) -> InputStream? { nil }

  /// Default implementation: does nothing.
  public func connection(
    _ connection: NSURLConnection, didSendBodyData bytesWritten: Int, totalBytesWritten: Int, totalBytesExpectedToWrite: Int
  ) {}

  /// Default implementation: stores the proposed response.
  public func connection(_ connection: NSURLConnection, willCacheResponse cachedResponse: CachedURLResponse) -> CachedURLResponse? {
    cachedResponse
  }

  /// Default implementation: does nothing.
  public func connectionDidFinishLoading(_ connection: NSURLConnection) {}
}
