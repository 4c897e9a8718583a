import Foundation

/// Messages of an `NSURLDownload`. Every method is optional. They arrive on the run loop of the thread that made the download.
@preconcurrency
public protocol NSURLDownloadDelegate: NSObjectProtocol {
  /// The download begins; the first message. By default nothing happens.
  func downloadDidBegin(_ download: NSURLDownload)

  /// A request is about to be sent: the download's own, with a nil response, or a redirect's. By default the proposed request is sent.
  ///
  /// Answer with nil to load the redirect's own body, or, if the response is nil, to have the download fail with `URLError.cancelled`.
  func download(_ download: NSURLDownload, willSend request: URLRequest, redirectResponse: URLResponse?) -> URLRequest?

  /// Whether the delegate answers challenges of this kind. By default true, except for server trust and client certificates.
  func download(_ connection: NSURLDownload, canAuthenticateAgainstProtectionSpace protectionSpace: URLProtectionSpace) -> Bool

  /// A server or proxy asks for a credential. The load waits until the challenge's `sender` gets an answer. By default the default handling applies.
  func download(_ download: NSURLDownload, didReceive challenge: URLAuthenticationChallenge)

  /// A challenge was withdrawn. This library never calls it.
  func download(_ download: NSURLDownload, didCancel challenge: URLAuthenticationChallenge)

  /// Whether the shared credential storage is used. Called once, before the load begins. By default it is.
  func downloadShouldUseCredentialStorage(_ download: NSURLDownload) -> Bool

  /// The response arrived. By default nothing happens.
  func download(_ download: NSURLDownload, didReceive response: URLResponse)

  /// An earlier download is resumed at `startingByte`. By default nothing happens.
  func download(_ download: NSURLDownload, willResumeWith response: URLResponse, fromByte startingByte: Int64)

  /// `length` bytes of the body have been received. By default nothing happens.
  func download(_ download: NSURLDownload, didReceiveDataOfLength length: Int)

  /// Whether the file is to be decoded. This library never calls it: it leaves MacBinary, BinHex and gzip files as they are.
  func download(_ download: NSURLDownload, shouldDecodeSourceDataOfMIMEType encodingType: String) -> Bool

  /// The destination is to be set by `setDestination(_:allowOverwrite:)`, if it isn't yet. By default the file goes to the temporary folder.
  func download(_ download: NSURLDownload, decideDestinationWithSuggestedFilename filename: String)

  /// The complete file has been moved to its destination. Sent before `downloadDidFinish(_:)`. By default nothing happens.
  func download(_ download: NSURLDownload, didCreateDestination path: String)

  /// The download succeeded, whatever the HTTP status; the last message. By default nothing happens.
  func downloadDidFinish(_ download: NSURLDownload)

  /// The download failed; the last message. By default nothing happens.
  /// - Parameter error: A `URLError`, or a `CocoaError` if the file couldn't be moved to its destination.
  func download(_ download: NSURLDownload, didFailWithError error: any Error)
}

extension NSURLDownloadDelegate {
  /// Default implementation: does nothing.
  public func downloadDidBegin(_ download: NSURLDownload) {}

  /// Default implementation: sends the proposed request.
  public func download(_ download: NSURLDownload, willSend request: URLRequest, redirectResponse: URLResponse?) -> URLRequest? { request }

  /// Default implementation: true, except for server trust and client certificates.
  public func download(_ connection: NSURLDownload, canAuthenticateAgainstProtectionSpace protectionSpace: URLProtectionSpace) -> Bool {
    switch protectionSpace.authenticationMethod {
    case NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate: false
    default: true
    }
  }

  /// Default implementation: asks the challenge's sender for the default handling.
  public func download(_ download: NSURLDownload, didReceive challenge: URLAuthenticationChallenge) {
    challenge.sender?.performDefaultHandling(for: challenge)
  }

  /// Default implementation: does nothing.
  public func download(_ download: NSURLDownload, didCancel challenge: URLAuthenticationChallenge) {}

  /// Default implementation: true, the shared credential storage is used.
  public func downloadShouldUseCredentialStorage(_ download: NSURLDownload) -> Bool { true }

  /// Default implementation: does nothing.
  public func download(_ download: NSURLDownload, didReceive response: URLResponse) {}

  /// Default implementation: does nothing.
  public func download(_ download: NSURLDownload, willResumeWith response: URLResponse, fromByte startingByte: Int64) {}

  /// Default implementation: does nothing.
  public func download(_ download: NSURLDownload, didReceiveDataOfLength length: Int) {}

  /// Default implementation: false, the file isn't decoded.
  public func download(_ download: NSURLDownload, shouldDecodeSourceDataOfMIMEType encodingType: String) -> Bool { false }

  /// Default implementation: sets no destination, so that the file goes to the temporary folder.
  public func download(_ download: NSURLDownload, decideDestinationWithSuggestedFilename filename: String) {}

  /// Default implementation: does nothing.
  public func download(_ download: NSURLDownload, didCreateDestination path: String) {}

  /// Default implementation: does nothing.
  public func downloadDidFinish(_ download: NSURLDownload) {}

  /// Default implementation: does nothing.
  public func download(_ download: NSURLDownload, didFailWithError error: any Error) {}
}
