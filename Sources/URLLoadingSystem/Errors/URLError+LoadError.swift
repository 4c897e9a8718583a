import Foundation
import HTTPTransport
import LoadingModel

extension LoadError {
  /// The error as the app sees it: the only place where the engine's errors become public ones.
  ///
  /// An error that an app's own protocol class reported comes back as the object it was. Every other one is a `URLError` whose
  /// underlying error, of CFNetwork's domain, leads on to the system's errno where one was behind it.
  ///
  /// - Parameters:
  ///   - failingURL: The last URL that was loaded, after redirects.
  ///   - resumption: What is needed to go on, and the key under which it is looked for.
  ///   - reason: What the app should know besides, as `NSLocalizedFailureReasonErrorKey`.
  package func urlError(failingURL: URL?, resumption: (key: String, data: Data)? = nil, reason: String? = nil) -> any Error {
    if let foreign { return foreign.error }
    var userInfo: [String: Any] = [
      NSLocalizedDescriptionKey: localizedDescription,
      NSUnderlyingErrorKey: underlyingError,
    ]
    if let failingURL = failingURL?.withoutPassword {
      userInfo[NSURLErrorFailingURLErrorKey] = failingURL
      userInfo[LoadError.failingURLStringKey] = failingURL.absoluteString
    }
    if let reason = reason ?? advice { userInfo[NSLocalizedFailureReasonErrorKey] = reason }
    if let resumption { userInfo[resumption.key] = resumption.data }
    if let networkObstacle { userInfo[NSURLErrorNetworkUnavailableReasonKey] = networkObstacle.rawValue }
    if let peer = peer as? PeerTrust {
      let trust = SecTrust(peer)
      userInfo[NSURLErrorFailingURLPeerTrustErrorKey] = trust
      userInfo["NSErrorPeerCertificateChainKey"] = trust.certificates
    }
    return URLError(URLError.Code(rawValue: kind.rawValue) ?? .unknown, userInfo: userInfo)
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
