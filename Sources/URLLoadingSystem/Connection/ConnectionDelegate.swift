import Foundation
import LoadingModel

/// The task delegate of an `NSURLConnection`: translates the task's messages to those of the connection's own delegate.
///
/// Made when the connection starts; keeps the connection and its delegate until the task has ended. Its methods run where the connection is
/// scheduled, one at a time, since the task's pump delivers there.
final class ConnectionDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
  private let connection: NSURLConnection
  private let receivers: ConnectionReceivers
  /// The request with which the delegate has answered the last `willSend`.
  private let current: Mutex<URLRequest>

  init(_ connection: NSURLConnection, _ receivers: ConnectionReceivers, _ request: URLRequest) {
    self.connection = connection
    self.receivers = receivers
    current = Mutex(request)
  }

  /// The request that the delegate's `willSend` returns for the connection's first request; nil to send nothing.
  func firstRequest(_ request: URLRequest) -> URLRequest? {
    guard let data = receivers.data else { return request }
    let answer = data.connection(connection, willSend: request, redirectResponse: nil)
    if let answer { current.withLock { $0 = answer } }
    return answer
  }

  /// Reports an error for a connection that ends without having loaded.
  func fail(_ error: any Error) {
    if connection.end() { receivers.general?.connection(connection, didFailWithError: error) }
  }

  // MARK: Questions

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    guard connection.isActive, let data = receivers.data else { return completionHandler(request) }
    let answer = data.connection(connection, willSend: request, redirectResponse: response)
    if let answer { current.withLock { $0 = answer } }
    completionHandler(answer)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard connection.isActive, let general = receivers.general else { return completionHandler(.performDefaultHandling, nil) }
    let sender = ConnectionChallengeSender(completionHandler)
    general.connection(connection, willSendRequestFor: URLAuthenticationChallenge(authenticationChallenge: challenge, sender: sender))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    guard connection.isActive, let data = receivers.data else { return completionHandler(nil) }
    completionHandler(data.connection(connection, needNewBodyStream: current.withLock { $0 }))
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    guard connection.isActive, let data = receivers.data else { return completionHandler(proposedResponse) }
    completionHandler(data.connection(connection, willCacheResponse: proposedResponse))
  }

  // MARK: Messages

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    guard connection.isActive else { return }
    receivers.data?.connection(
      connection, didSendBodyData: Int(clamping: bytesSent), totalBytesWritten: Int(clamping: totalBytesSent),
      totalBytesExpectedToWrite: Int(clamping: totalBytesExpectedToSend))
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if connection.isActive { receivers.data?.connection(connection, didReceive: response) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if connection.isActive { receivers.data?.connection(connection, didReceive: data) }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64
  ) {
    guard connection.isActive else { return }
    receivers.download?.connection(
      connection, didWriteData: bytesWritten, totalBytesWritten: totalBytesWritten, expectedTotalBytes: totalBytesExpectedToWrite)
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    if connection.end() { receivers.download?.connectionDidFinishDownloading(connection, destinationURL: location) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    // A download's connection has ended with the message about its file.
    guard connection.end() else { return }
    if let error {
      receivers.general?.connection(connection, didFailWithError: error)
    } else {
      receivers.data?.connectionDidFinishLoading(connection)
    }
  }
}
