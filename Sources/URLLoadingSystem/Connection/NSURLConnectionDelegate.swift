import Foundation

/// Messages about a connection that any kind of delegate may implement: errors and authentication.
///
/// As Apple documents, every method is optional. Messages arrive where the connection is scheduled: on its run loops or its delegate queue.
@preconcurrency
public protocol NSURLConnectionDelegate: NSObjectProtocol {
  /// The load failed; the last message.
  /// - Parameter error: A `URLError`.
  func connection(_ connection: NSURLConnection, didFailWithError error: any Error)

  /// Whether the shared credential storage is used. Called once, before the load begins. By default it is.
  func connectionShouldUseCredentialStorage(_ connection: NSURLConnection) -> Bool

  /// A server or proxy asks for a credential, or is to be trusted or not. The load waits until the challenge's `sender` gets an answer.
  ///
  /// By default the two older methods are called: `connection(_:canAuthenticateAgainstProtectionSpace:)` and then `connection(_:didReceive:)`.
  func connection(_ connection: NSURLConnection, willSendRequestFor challenge: URLAuthenticationChallenge)

  /// Whether the delegate answers challenges of this kind; if not, the default handling applies.
  ///
  /// By default true, except for server trust and client certificates. Deprecated by Apple: implement `connection(_:willSendRequestFor:)`; if a
  /// delegate does, this method isn't called.
  func connection(_ connection: NSURLConnection, canAuthenticateAgainstProtectionSpace protectionSpace: URLProtectionSpace) -> Bool

  /// As `connection(_:willSendRequestFor:)`, for protection spaces that the delegate has accepted. By default the default handling applies.
  /// Deprecated by Apple.
  func connection(_ connection: NSURLConnection, didReceive challenge: URLAuthenticationChallenge)

  /// A challenge was withdrawn. This library never calls it; deprecated by Apple.
  func connection(_ connection: NSURLConnection, didCancel challenge: URLAuthenticationChallenge)
}

extension NSURLConnectionDelegate {
  /// Default implementation: does nothing.
  public func connection(_ connection: NSURLConnection, didFailWithError error: any Error) {}

  /// Default implementation: true, the shared credential storage is used.
  public func connectionShouldUseCredentialStorage(_ connection: NSURLConnection) -> Bool { true }

  /// Default implementation: calls the two older methods, `canAuthenticateAgainstProtectionSpace` and `didReceive`.
  public func connection(_ connection: NSURLConnection, willSendRequestFor challenge: URLAuthenticationChallenge) {
    if self.connection(connection, canAuthenticateAgainstProtectionSpace: challenge.protectionSpace) {
      self.connection(connection, didReceive: challenge)
    } else {
      challenge.sender?.performDefaultHandling(for: challenge)
    }
  }

  /// Default implementation: true, except for server trust and client certificates.
  public func connection(_ connection: NSURLConnection, canAuthenticateAgainstProtectionSpace protectionSpace: URLProtectionSpace) -> Bool {
    switch protectionSpace.authenticationMethod {
    case NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate: false
    default: true
    }
  }

  /// Default implementation: asks the challenge's sender for the default handling.
  public func connection(_ connection: NSURLConnection, didReceive challenge: URLAuthenticationChallenge) {
    challenge.sender?.performDefaultHandling(for: challenge)
  }

  /// Default implementation: does nothing.
  public func connection(_ connection: NSURLConnection, didCancel challenge: URLAuthenticationChallenge) {}
}
