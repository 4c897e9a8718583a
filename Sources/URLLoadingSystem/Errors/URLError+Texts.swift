import LoadingModel

extension LoadError.Kind {
  /// The kind of error in a few words, without a full stop.
  var summary: String {
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
