import Foundation
import LoadingModel

/// The task delegate of an `NSURLDownload`: translates the task's messages to those of the download's own delegate.
///
/// Made when the download starts; keeps the download and its delegate until the task has ended. Its methods run on the download's run loop, one at a
/// time, since the task's pump delivers there.
final class DownloadMessages: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, @unchecked Sendable {
  // @unchecked: the delegate isn't Sendable; it is called on one run loop. `failure` is used there alone.
  private let download: NSURLDownload
  private let delegate: (any NSURLDownloadDelegate)?
  /// The error because of which the finished file couldn't be moved to its destination; nil if there is none.
  private var failure: (any Error)?

  init(_ download: NSURLDownload, _ delegate: (any NSURLDownloadDelegate)?) {
    self.download = download
    self.delegate = delegate
  }

  var usesCredentialStorage: Bool { delegate?.downloadShouldUseCredentialStorage(download) ?? true }

  func begin() { delegate?.downloadDidBegin(download) }

  func firstRequest(_ request: URLRequest) -> URLRequest? {
    guard let delegate else { return request }
    return delegate.download(download, willSend: request, redirectResponse: nil)
  }

  func fail(_ error: any Error) {
    if download.end() { delegate?.download(download, didFailWithError: error) }
  }

  // MARK: Questions

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    guard download.isActive, let delegate else { return completionHandler(request) }
    completionHandler(delegate.download(download, willSend: request, redirectResponse: response))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard download.isActive, let delegate,
      delegate.download(download, canAuthenticateAgainstProtectionSpace: challenge.protectionSpace)
    else { return completionHandler(.performDefaultHandling, nil) }
    let sender = ConnectionChallengeSender(completionHandler)
    delegate.download(download, didReceive: URLAuthenticationChallenge(authenticationChallenge: challenge, sender: sender))
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard download.isActive else { return completionHandler(.cancel) }
    delegate?.download(download, didReceive: response)
    let name = response.suggestedFilename ?? "Unknown"
    if download.destination == nil { delegate?.download(download, decideDestinationWithSuggestedFilename: name) }
    download.setDestination(NSTemporaryDirectory() + name, allowOverwrite: false)
    completionHandler(.becomeDownload)
  }

  // MARK: Messages

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask) {
    download.adopt(downloadTask)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
  ) {
    guard download.isActive, let delegate, let response = downloadTask.response else { return }
    if fileOffset > 0 {
      delegate.download(download, willResumeWith: response, fromByte: fileOffset)
    } else {
      delegate.download(download, didReceive: response)
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64
  ) {
    if download.isActive { delegate?.download(download, didReceiveDataOfLength: Int(clamping: bytesWritten)) }
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    guard download.isActive, let destination = download.destination else { return }
    do {
      let path = try destination.take(location)
      delegate?.download(download, didCreateDestination: path)
    } catch {
      failure = error
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let data = (error as? URLError)?.downloadTaskResumeData { download.keep(data) }
    if let error = error ?? failure { return fail(error) }
    if download.end() { delegate?.downloadDidFinish(download) }
  }
}
