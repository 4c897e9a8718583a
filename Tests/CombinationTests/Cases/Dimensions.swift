// What cases differ in. The first value of each is the plain one: a case that fails is made small by going back to it.

/// What kind of task the app makes.
enum Work: String, CaseIterable, Sendable {
  case data, uploadData, uploadFile, uploadStream, resumableUpload
  case download, resumedDownload, webSocket, stream, becomeDownload, becomeStream
  /// Tasks of a background session, which the daemon carries out.
  case backgroundDownload, backgroundUpload

  var isUpload: Bool { [.uploadData, .uploadFile, .uploadStream, .resumableUpload, .backgroundUpload].contains(self) }
  var isBackground: Bool { self == .backgroundDownload || self == .backgroundUpload }
  /// Tasks that aren't a request with a response.
  var isConversation: Bool { self == .webSocket || self == .stream }
}

/// How the app is told.
enum Interface: String, CaseIterable, Sendable {
  case sessionDelegate, taskDelegate, completion, asynchronous, bytes, publisher

  static func allowed(for work: Work) -> [Interface] {
    switch work {
    case .data: allCases
    case .uploadData, .uploadFile, .download, .resumedDownload: [.sessionDelegate, .taskDelegate, .completion, .asynchronous]
    case .resumableUpload: [.sessionDelegate, .taskDelegate, .completion]
    case .uploadStream, .webSocket, .stream, .becomeDownload, .becomeStream: [.sessionDelegate, .taskDelegate]
    case .backgroundDownload, .backgroundUpload: [.sessionDelegate]
    }
  }
}

/// What carries HTTP.
enum Wire: String, CaseIterable, Sendable {
  case plain, tls, h2
  #if HTTP3
    case h3
    /// An origin that says in `Alt-Svc` that it is served over HTTP/3.
    case alternative
    /// HTTP/3 with requests in the first flight.
    case early
    /// The same, of a server that has forgotten its tickets: what was sent early is sent again, and an app is asked about the server anew.
    case forgotten
    /// HTTP/3 where TCP is refused, in a session that tries both.
    case udpOnly
  #endif

  var isSecure: Bool { self != .plain }

  /// HTTP/3 may carry it.
  var mayUseQUIC: Bool {
    #if HTTP3
      [.h3, .alternative, .early, .forgotten, .udpOnly].contains(self)
    #else
      false
    #endif
  }

  /// Requests go with the first flight.
  var isEarly: Bool {
    #if HTTP3
      self == .early || self == .forgotten
    #else
      false
    #endif
  }

  /// A load comes before those of the case, whose challenges are answered well: its connection, ticket and credential are there.
  var isWarmedUp: Bool {
    #if HTTP3
      isEarly || self == .alternative
    #else
      false
    #endif
  }

  var isMultiplexed: Bool { self == .h2 || mayUseQUIC }
}

/// The way to the server.
enum Way: String, CaseIterable, Sendable {
  case direct, proxy, proxyWithLogin, socks, socksWithLogin

  var isHTTPProxy: Bool { self == .proxy || self == .proxyWithLogin }
}

/// How many bytes a body has.
enum Size: String, CaseIterable, Sendable {
  case small, nothing, medium, large

  var count: Int {
    switch self {
    case .small: 700
    case .nothing: 0
    case .medium: 60_000
    case .large: 900_000
    }
  }
}

/// What the server does.
enum Conduct: String, CaseIterable, Sendable {
  case answers, chunked, compressed, notFound, informational, trickles, closes, closesSilently, early
  case redirects, redirectsElsewhere
  case cutBeforeHead, cutAfterHead, cutInBody, resets, garbage, wrongLength, refusesStream, goesAway, goesAwayUnprocessed
  case stallsBeforeHead, stallsInBody, stallsReading

  /// Nothing but the app ends it.
  var stalls: Bool { [.stallsBeforeHead, .stallsInBody, .stallsReading].contains(self) }

  /// Every task can succeed.
  var succeeds: Bool {
    switch self {
    case .answers, .chunked, .compressed, .notFound, .informational, .trickles, .closes, .closesSilently, .redirects, .redirectsElsewhere:
      true
    case .early, .cutBeforeHead, .cutAfterHead, .cutInBody, .resets, .garbage, .wrongLength, .refusesStream, .goesAway,
      .goesAwayUnprocessed, .stallsBeforeHead, .stallsInBody, .stallsReading:
      false
    }
  }
}

/// What the server wants to know before it answers.
enum Login: String, CaseIterable, Sendable {
  case none, basic
}

/// Whether the server asks for a client's certificate.
enum Certificate: String, CaseIterable, Sendable {
  case none, optional, required
}

/// What the app answers to challenges.
enum Answer: String, CaseIterable, Sendable {
  case right, late, wrong, rejects, cancels, byDefault, never
}

/// What the app answers to redirects.
enum RedirectAnswer: String, CaseIterable, Sendable {
  case follows, late, refuses
}

/// What the app does beside.
enum Action: String, CaseIterable, Sendable {
  case none, cancel, cancelTwice, pause, pauseAndCancel, invalidate, finish, timeOut

  /// Every task ends by it, whatever the server does.
  var ends: Bool { [.cancel, .cancelTwice, .pauseAndCancel, .invalidate, .timeOut].contains(self) }
}

/// When the app does it.
enum Moment: String, CaseIterable, Sendable {
  case resumed, created, requested, challenged, responded, received
}

/// What the body of an upload does.
enum Source: String, CaseIterable, Sendable {
  case whole, fails, missing
}

/// How much the session keeps.
enum Keeping: String, CaseIterable, Sendable {
  case nothing, cookies, cache
}

/// The app's code around each load.
enum Around: String, CaseIterable, Sendable {
  case none, passes, stamps, late
}
