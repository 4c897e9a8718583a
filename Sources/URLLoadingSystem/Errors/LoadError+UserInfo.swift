import Foundation
import HTTPTransport
import LoadingModel

// What the user info of an error says to the app.

extension LoadError {
  /// - Parameter failingURL: The last URL that was loaded, after redirects.
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
    if let networkObstacle { userInfo[NSURLErrorNetworkUnavailableReasonKey] = networkObstacle.rawValue }
    if let peer = peer as? PeerTrust {
      let trust = SecTrust(peer)
      userInfo[NSURLErrorFailingURLPeerTrustErrorKey] = trust
      userInfo["NSErrorPeerCertificateChainKey"] = trust.certificates
    }
    return userInfo
  }

  /// NSURLErrorFailingURLStringErrorKey: deprecated as a name, but apps still read it.
  static var failingURLStringKey: String { "NSErrorFailingURLStringKey" }

  private var localizedDescription: String {
    // As Apple's for a plain cancellation: nothing went wrong, so there is nothing to explain.
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
  /// Errors are written into logs: the password that a URL may carry doesn't go with them.
  fileprivate var withoutPassword: URL {
    guard password != nil, var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
    components.password = nil
    return components.url ?? self
  }
}
