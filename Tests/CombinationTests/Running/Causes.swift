import Foundation

// What a case may end in.

extension Case {
  /// The server stops reading the body of a request.
  var stopsReading: Bool { conduct == .early || conduct == .stallsReading || !conduct.succeeds }

  /// The app's answers let every task through.
  private var isLetThrough: Bool {
    if answer == .right || answer == .late { return true }
    guard login == .none, way != .proxyWithLogin, certificate == .none else { return false }
    // The server's certificate is good: the app may leave it to the system.
    return answer == .byDefault || answer == .wrong || !wire.isSecure
  }

  /// Nothing that the server or the app does gives a task a reason to fail.
  var mustSucceed: Bool {
    conduct.succeeds && isLetThrough && source == .whole && !mayMeetAnEnd && (work != .stream || way == .direct)
      && (action == .none || action == .pause || (action == .finish && !isLazy))
  }

  /// A request that may not be sent again may be on a connection when the server closes it for another.
  var mayMeetAnEnd: Bool {
    (conduct == .closes || conduct == .closesSilently) && tasks != .one && (work.isUpload || wire.isMultiplexed)
  }

  private var isUDPOnly: Bool {
    #if HTTP3
      wire == .udpOnly
    #else
      false
    #endif
  }

  /// The tasks are made only when they begin, which may be after the session's end.
  var isLazy: Bool { [.asynchronous, .bytes, .publisher].contains(interface) || work == .resumedDownload }

  /// There is no way for a task to succeed.
  var mustFail: Bool {
    (source != .whole && !mayBeAnsweredEarly) || (certificate == .required && !isLetThrough && !wire.isWarmedUp)
  }

  /// An answer may come before the body's end. The proxy doesn't wait for the body of what it refuses.
  private var mayBeAnsweredEarly: Bool { conduct == .early || (way == .proxyWithLogin && !isLetThrough) }

  /// Whether a task of this case may fail with this code.
  func allows(_ code: Int) -> Bool {
    if action.ends || (action == .finish && isLazy) || answer == .never, code == URLError.cancelled.rawValue { return true }
    if action == .timeOut, code == URLError.timedOut.rawValue { return true }
    return causes.contains(code)
  }

  private var causes: Set<Int> {
    var causes: Set<Int> = []
    func add(_ codes: URLError.Code...) { causes.formUnion(codes.map(\.rawValue)) }
    switch conduct {
    case .answers, .chunked, .compressed, .notFound, .informational, .trickles, .redirects, .redirectsElsewhere, .stallsBeforeHead,
      .stallsInBody, .stallsReading:
      break
    case .closes, .closesSilently: if mayMeetAnEnd { add(.networkConnectionLost) }
    case .early: add(.networkConnectionLost)
    case .cutBeforeHead, .cutAfterHead, .cutInBody, .resets, .refusesStream, .goesAway, .goesAwayUnprocessed:
      add(.networkConnectionLost, .cannotParseResponse)
    case .garbage: add(.cannotParseResponse, .badServerResponse, .networkConnectionLost)
    case .wrongLength: add(.networkConnectionLost, .cannotParseResponse)
    }
    if !isLetThrough {
      add(.cancelled, .userCancelledAuthentication, .userAuthenticationRequired, .serverCertificateUntrusted, .secureConnectionFailed)
      if certificate != .none { add(.clientCertificateRequired, .clientCertificateRejected) }
    }
    // What HTTP/3 was refused for, TCP doesn't make up for; and time that passes ends the wait.
    if isUDPOnly, !isLetThrough || answer == .never || action == .timeOut { add(.cannotConnectToHost) }
    // A handshake has a limit of its own.
    if action == .timeOut, wire.isSecure { add(.secureConnectionFailed) }
    switch source {
    case .whole: break
    case .fails, .missing: add(.requestBodyStreamExhausted, .fileDoesNotExist, .cannotOpenFile, .noPermissionsToReadFile, .unknown)
    }
    // The test proxy ends both directions when one has ended.
    if work == .stream, way != .direct { add(.networkConnectionLost) }
    if work == .webSocket, conduct == .cutInBody { causes.insert(Int(ENOTCONN)) }
    return causes
  }
}
