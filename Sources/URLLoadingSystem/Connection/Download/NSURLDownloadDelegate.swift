import Foundation

/// Messages of an `NSURLDownload`. Every method is optional. They arrive on the run loop of the thread that made the download.
@preconcurrency
public protocol NSURLDownloadDelegate: NSObjectProtocol {
  /// The download begins; the first message. By default nothing happens.
  func downloadDidBegin(_ download: NSURLDownload)

  /// A request is about to be sent: the download's own, with a nil response, or that of a redirect. By default the proposed one is sent.
  ///
  /// Answer with nil to load the redirect's own body, or, where the response is nil, to have the download fail with `URLError.cancelled`.
  func download(_ download: NSURLDownload, willSend request: URLRequest, redirectResponse: URLResponse?) -> URLRequest?

  /// Whether the delegate answers challenges of this kind. By default all but those about server trust and client certificates.
  func download(_ connection: NSURLDownload, canAuthenticateAgainstProtectionSpace protectionSpace: URLProtectionSpace) -> Bool

  /// A server or proxy asks for a credential. The load waits until the challenge's `sender` has been told an answer. By default the default
  /// handling applies.
  func download(_ download: NSURLDownload, didReceive challenge: URLAuthenticationChallenge)

  /// A challenge was withdrawn. Never sent.
  func download(_ download: NSURLDownload, didCancel challenge: URLAuthenticationChallenge)

  /// Whether the shared credential storage is consulted. Asked once, before the load begins. By default it is.
  func downloadShouldUseCredentialStorage(_ download: NSURLDownload) -> Bool

  /// The response arrived. By default nothing happens.
  func download(_ download: NSURLDownload, didReceive response: URLResponse)

  /// An earlier download goes on at `startingByte`. By default nothing happens.
  func download(_ download: NSURLDownload, willResumeWith response: URLResponse, fromByte startingByte: Int64)

  /// Bytes arrived. By default nothing happens.
  func download(_ download: NSURLDownload, didReceiveDataOfLength length: Int)

  /// Whether the file is to be decoded. Never sent: files of the encodings meant (MacBinary, BinHex, gzip) are left as they are.
  func download(_ download: NSURLDownload, shouldDecodeSourceDataOfMIMEType encodingType: String) -> Bool

  /// The place for the file, to be set by `setDestination(_:allowOverwrite:)`, isn't known yet. By default it is the temporary folder.
  func download(_ download: NSURLDownload, decideDestinationWithSuggestedFilename filename: String)

  /// The file is at its place. Sent when all of it is there, before `downloadDidFinish(_:)`. By default nothing happens.
  func download(_ download: NSURLDownload, didCreateDestination path: String)

  /// The download succeeded, whatever the HTTP status; the last message. By default nothing happens.
  func downloadDidFinish(_ download: NSURLDownload)

  /// The download failed; the last message. By default nothing happens.
  /// - Parameter error: A `URLError`, or a `CocoaError` if the file couldn't be moved to its place.
  func download(_ download: NSURLDownload, didFailWithError error: any Error)
}

extension NSURLDownloadDelegate {
  /// Does nothing.
  public func downloadDidBegin(_ download: NSURLDownload) {}

  /// The proposed request.
  public func download(_ download: NSURLDownload, willSend request: URLRequest, redirectResponse: URLResponse?) -> URLRequest? { request }

  /// True for all but server trust and client certificates.
  public func download(_ connection: NSURLDownload, canAuthenticateAgainstProtectionSpace protectionSpace: URLProtectionSpace) -> Bool {
    switch protectionSpace.authenticationMethod {
    case NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate: false
    default: true
    }
  }

  /// Asks for the default handling.
  public func download(_ download: NSURLDownload, didReceive challenge: URLAuthenticationChallenge) {
    challenge.sender?.performDefaultHandling(for: challenge)
  }

  /// Does nothing.
  public func download(_ download: NSURLDownload, didCancel challenge: URLAuthenticationChallenge) {}

  /// True.
  public func downloadShouldUseCredentialStorage(_ download: NSURLDownload) -> Bool { true }

  /// Does nothing.
  public func download(_ download: NSURLDownload, didReceive response: URLResponse) {}

  /// Does nothing.
  public func download(_ download: NSURLDownload, willResumeWith response: URLResponse, fromByte startingByte: Int64) {}

  /// Does nothing.
  public func download(_ download: NSURLDownload, didReceiveDataOfLength length: Int) {}

  /// False.
  public func download(_ download: NSURLDownload, shouldDecodeSourceDataOfMIMEType encodingType: String) -> Bool { false }

  /// Leaves the temporary folder.
  public func download(_ download: NSURLDownload, decideDestinationWithSuggestedFilename filename: String) {}

  /// Does nothing.
  public func download(_ download: NSURLDownload, didCreateDestination path: String) {}

  /// Does nothing.
  public func downloadDidFinish(_ download: NSURLDownload) {}

  /// Does nothing.
  public func download(_ download: NSURLDownload, didFailWithError error: any Error) {}
}
