import BackgroundTransfers
import Foundation
import HTTPTransport
import LoadingModel

// The `userInfo` of an error that the app gets.

extension LoadError {
  /// - Parameter failingURL: The URL of the last request, after redirects; nil if there is none.
  func userInfo(failingURL: URL?) -> [String: Any] {
    var userInfo: [String: Any] = [
      NSLocalizedDescriptionKey: localizedDescription,
      NSUnderlyingErrorKey: underlyingError,
    ]
    if let failingURL = failingURL?.withoutPassword {
      userInfo[NSURLErrorFailingURLErrorKey] = failingURL
      userInfo[LoadError.failingURLStringKey] = failingURL.absoluteString
    }
    if let reason = advice { userInfo[NSLocalizedFailureReasonErrorKey] = reason }
    if kind == .secureConnectionFailed, resendReason == .cutOff {
      // As on Apple's platforms: errSSLClosedAbort, the connection has been closed in the handshake.
      userInfo[LoadError.streamErrorDomainKey] = LoadError.tlsErrorDomain
      userInfo[LoadError.streamErrorCodeKey] = ErrorValue.cutOffHandshake
    }
    if let networkObstacle { userInfo[NSURLErrorNetworkUnavailableReasonKey] = networkObstacle.rawValue }
    if let peer = peer as? PeerTrust {
      let trust = SecTrust(peer)
      userInfo[NSURLErrorFailingURLPeerTrustErrorKey] = trust
      userInfo["NSErrorPeerCertificateChainKey"] = trust.certificates
    }
    return userInfo
  }

  /// The key `NSURLErrorFailingURLStringErrorKey`: its name is deprecated, but apps still read it.
  static var failingURLStringKey: String { "NSErrorFailingURLStringKey" }

  /// Keys under which CFNetwork says which of its parts has failed, and how: 3 is TLS, whose codes are those of Secure Transport.
  static var streamErrorDomainKey: String { "_kCFStreamErrorDomainKey" }
  static var streamErrorCodeKey: String { "_kCFStreamErrorCodeKey" }
  static var tlsErrorDomain: Int { 3 }

  private var localizedDescription: String {
    // As Apple's for a plain cancellation: there is nothing to explain, so only the summary is shown.
    if message.isEmpty || message == kind.summary { return kind.summary }
    return message.hasPrefix(kind.summary) ? message : "\(kind.summary): \(message)"
  }

  private var underlyingError: NSError {
    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: kind.summary]
    if let posixCode { userInfo[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(posixCode)) }
    return NSError(domain: "kCFErrorDomainCFNetwork", code: proxy?.code?.rawValue ?? kind.rawValue, userInfo: userInfo)
  }
}

extension URL {
  /// The URL without its password, since errors are written to logs.
  fileprivate var withoutPassword: URL {
    guard password != nil, var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
    components.password = nil
    return components.url ?? self
  }
}
