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

extension LoadError.Kind {
  /// The kind in a few words, without a full stop.
  fileprivate var summary: String {
    switch self {
    case .unknown: "unknown error"
    case .cancelled: "cancelled"
    case .badURL: "malformed URL or request"
    case .timedOut: "the request timed out"
    case .unsupportedURL: "unsupported URL"
    case .cannotFindHost: "no server of that name was found"
    case .cannotConnectToHost: "no connection to the server"
    case .networkConnectionLost: "the connection was lost"
    case .dnsLookupFailed: "the name lookup failed"
    case .httpTooManyRedirects: "too many redirects"
    case .resourceUnavailable: "the resource is unavailable"
    case .notConnectedToInternet: "no network connection"
    case .redirectToNonExistentLocation: "the redirect leads nowhere"
    case .badServerResponse: "bad server response"
    case .userCancelledAuthentication: "the authentication was cancelled"
    case .userAuthenticationRequired: "authentication is required"
    case .zeroByteResource: "the resource is empty"
    case .cannotDecodeRawData: "the body can't be decoded"
    case .cannotDecodeContentData: "the body's content coding is unknown"
    case .cannotParseResponse: "the response can't be parsed"
    case .requestBodyStreamExhausted: "the body stream is used up"
    case .appTransportSecurityRequiresSecureConnection: "a secure connection is required"
    case .backgroundSessionInUseByAnotherProcess: "the background session is in use by another process"
    case .backgroundSessionWasDisconnected: "the background session's daemon can't be reached"
    case .fileDoesNotExist: "the file doesn't exist"
    case .fileIsDirectory: "the file is a directory"
    case .noPermissionsToReadFile: "the file may not be read"
    case .dataLengthExceedsMaximum: "resource exceeds maximum size"
    case .secureConnectionFailed: "no secure connection could be made"
    case .serverCertificateHasBadDate: "the server's certificate has expired"
    case .serverCertificateUntrusted: "the server's certificate isn't trusted"
    case .serverCertificateHasUnknownRoot: "the server's certificate has an unknown root"
    case .serverCertificateNotYetValid: "the server's certificate isn't valid yet"
    case .clientCertificateRejected: "the client's certificate was rejected"
    case .clientCertificateRequired: "the server requires a client certificate"
    case .cannotCreateFile: "the file can't be made"
    case .cannotOpenFile: "the file can't be opened"
    case .cannotWriteToFile: "the file can't be written"
    }
  }
}
