import Foundation

/// Messages about a connection that any kind of delegate may implement: errors and authentication.
///
/// As Apple documents, every method is optional. Messages arrive where the connection is scheduled: on its run loops or its delegate queue.
@preconcurrency
public protocol NSURLConnectionDelegate: NSObjectProtocol {
  /// The load failed; the last message.
  /// - Parameter error: A `URLError`.
  func connection(_ connection: NSURLConnection, didFailWithError error: any Error)

  /// Whether the shared credential storage is consulted. Asked once, before the load begins. By default it is.
  func connectionShouldUseCredentialStorage(_ connection: NSURLConnection) -> Bool

  /// A server or proxy asks for a credential, or for trust in it. The load waits until the challenge's `sender` has been told an answer.
  ///
  /// By default the two methods of earlier systems are asked: `connection(_:canAuthenticateAgainstProtectionSpace:)` and then
  /// `connection(_:didReceive:)`.
  func connection(_ connection: NSURLConnection, willSendRequestFor challenge: URLAuthenticationChallenge)

  /// Whether the delegate answers challenges of this kind; where it doesn't, the default handling applies.
  ///
  /// By default all but those about server trust and client certificates. Deprecated by Apple: implement
  /// `connection(_:willSendRequestFor:)`, in whose place alone this is asked.
  func connection(_ connection: NSURLConnection, canAuthenticateAgainstProtectionSpace protectionSpace: URLProtectionSpace) -> Bool

  /// As `connection(_:willSendRequestFor:)`, for spaces that the delegate accepted. By default the default handling applies. Deprecated by
  /// Apple.
  func connection(_ connection: NSURLConnection, didReceive challenge: URLAuthenticationChallenge)

  /// A challenge was withdrawn. Never sent; deprecated by Apple.
  func connection(_ connection: NSURLConnection, didCancel challenge: URLAuthenticationChallenge)
}

extension NSURLConnectionDelegate {
  /// Does nothing.
  public func connection(_ connection: NSURLConnection, didFailWithError error: any Error) {}

  /// True.
  public func connectionShouldUseCredentialStorage(_ connection: NSURLConnection) -> Bool { true }

  /// Asks the two methods of earlier systems.
  public func connection(_ connection: NSURLConnection, willSendRequestFor challenge: URLAuthenticationChallenge) {
    if self.connection(connection, canAuthenticateAgainstProtectionSpace: challenge.protectionSpace) {
      self.connection(connection, didReceive: challenge)
    } else {
      challenge.sender?.performDefaultHandling(for: challenge)
    }
  }

  /// True for all but server trust and client certificates.
  public func connection(_ connection: NSURLConnection, canAuthenticateAgainstProtectionSpace protectionSpace: URLProtectionSpace) -> Bool {
    switch protectionSpace.authenticationMethod {
    case NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate: false
    default: true
    }
  }

  /// Asks for the default handling.
  public func connection(_ connection: NSURLConnection, didReceive challenge: URLAuthenticationChallenge) {
    challenge.sender?.performDefaultHandling(for: challenge)
  }

  /// Does nothing.
  public func connection(_ connection: NSURLConnection, didCancel challenge: URLAuthenticationChallenge) {}
}
