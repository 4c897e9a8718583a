import Foundation

/// A request as every layer sees it: what `URLRequest` wraps and what the stages change on its way down.
///
/// Copy-on-write: a copy is one retain. Durations are seconds.
package struct LoadRequest: Sendable {
  /// What the request carries as its body. `httpBody` and `httpBodyStream` exclude each other.
  package enum Body: @unchecked Sendable {
    // @unchecked: `InputStream` isn't Sendable. Copies share the stream object, as Apple documents; only the load reads it.
    case none
    case data(Data)
    case stream(InputStream)
    /// A file, from this byte on, up to that one or to its end.
    case file(URL, from: Int64 = 0, upTo: Int64? = nil)
    /// A stream that the app supplies each time one is needed, the first time included; from this byte of the body on, up to that one or to
    /// its end.
    case suppliedStream(from: Int64 = 0, upTo: Int64? = nil)
    /// Data and files one behind the other, from this byte of the whole on, up to that one or to its end.
    case parts(BodyParts, from: Int64 = 0, upTo: Int64? = nil)
    /// What the app's code produces while it is sent.
    case pieces(BodyPieces)
  }

  /// The fields. Raw values are those of the public enums.
  package struct Fields: Sendable {
    /// Absolute, wherever it comes from.
    package var url: URL? { didSet { relativeURL = nil } }
    /// The URL with its base, where it was set relative to one; what `url` is the absolute form of.
    package private(set) var relativeURL: URL?
    package var cachePolicy: UInt = 0
    package var timeoutInterval: Double = 60
    package var mainDocumentURL: URL?
    package var networkServiceType: UInt = 0
    package var allowsCellularAccess = true
    package var allowsExpensiveNetworkAccess = true { didSet { ownAccess.insert(.expensive) } }
    package var allowsConstrainedNetworkAccess = true { didSet { ownAccess.insert(.constrained) } }
    /// What the request says itself, in place of its session.
    package private(set) var ownAccess: NetworkAccess = []
    package var allowsUltraConstrainedNetworkAccess = false
    package var assumesHTTP3Capable = false
    package var attribution: UInt = 0
    package var requiresDNSSECValidation = false
    package var allowsPersistentDNS = false
    package var cookiePartitionIdentifier: String?
    /// Cookies of another process, sent beside stored ones (`CookieRules.field`).
    package var attachedCookies: [AttachedCookie] = []
    package var method = "GET"
    package var headers = HeaderFields()
    package var body = Body.none
    /// Gives the streams that show a body of data or of a file to an app's `URLProtocol`; nil elsewhere.
    package var shownBody: ShownBody?
    package var shouldHandleCookies = true
    package var shouldUsePipelining = false
    /// In place of the session's.
    package var retryPolicy: RetryPolicy?
    /// In place of the session's, as far as it says something.
    package var bodyLimits = BodyLimits()
    /// `URLProtocol.setProperty` values. The public layer stores only what it was given; never read by the engine.
    package var properties: RequestProperties?

    /// Sets the URL as an app gives it.
    package mutating func setURL(_ given: URL?) {
      guard let given, given.baseURL != nil else { return url = given }
      url = given.absoluteURL
      relativeURL = given
    }
  }

  private final class Box: @unchecked Sendable {
    // @unchecked: `fields` is written only while the box is uniquely referenced (`mutate`), and read only once it is shared; `target` is
    // immutable, and Sendable itself.
    var fields: Fields
    let target: CachedTarget
    init(_ fields: Fields, target: CachedTarget = CachedTarget()) {
      self.fields = fields
      self.target = target
    }
  }

  private var box: Box

  package init(_ fields: Fields) { box = Box(fields) }
  package init(url: URL?) {
    var fields = Fields()
    fields.url = url
    box = Box(fields)
  }

  package var fields: Fields {
    get { box.fields }
    set { box = Box(newValue) }
  }

  package var url: URL? { box.fields.url }
  package var method: String { box.fields.method }
  package var headers: HeaderFields { box.fields.headers }
  package var body: Body { box.fields.body }
  /// `NSURLRequest.CachePolicy` by raw value.
  package var cachePolicy: UInt { box.fields.cachePolicy }

  /// Whether it leaves the choice of network to its session.
  package var leavesNetworkToSession: Bool { box.fields.ownAccess.isEmpty && box.fields.allowsCellularAccess }
  /// `NSURLRequest.NetworkServiceType` by raw value.
  package var networkServiceType: UInt { box.fields.networkServiceType }
  package var requiresDNSSECValidation: Bool { box.fields.requiresDNSSECValidation }
  package var assumesHTTP3Capable: Bool { box.fields.assumesHTTP3Capable }
  package var shouldUsePipelining: Bool { box.fields.shouldUsePipelining }
  package var shouldHandleCookies: Bool { box.fields.shouldHandleCookies }
  package var mainDocumentURL: URL? { box.fields.mainDocumentURL }
  package var cookiePartitionIdentifier: String? { box.fields.cookiePartitionIdentifier }
  package var attachedCookies: [AttachedCookie] { box.fields.attachedCookies }
  package var retryPolicy: RetryPolicy? { box.fields.retryPolicy }
  package var bodyLimits: BodyLimits { box.fields.bodyLimits }

  /// The URL taken apart once per request value; nil if it has no scheme or, for a hierarchical scheme, no host.
  package var target: Target? { box.target.value { Target(box.fields.url) } }

  /// The request without what was attached for the daemon of background sessions: as the app is shown it, and as resume data keeps it.
  package var withoutAttachedCookies: LoadRequest {
    guard !attachedCookies.isEmpty else { return self }
    var request = self
    request.mutate { $0.attachedCookies = [] }
    return request
  }

  /// Changes the fields; other copies keep theirs.
  package mutating func mutate(_ change: (inout Fields) -> Void) {
    var fields = box.fields
    change(&fields)
    box = Box(fields)
  }

  /// Changes the header fields alone: the URL isn't taken apart again.
  package mutating func mutateHeaders(_ change: (inout HeaderFields) -> Void) {
    var fields = box.fields
    change(&fields.headers)
    box = Box(fields, target: box.target)
  }

  /// Whether both are the same stored value: a cheap first answer for equality.
  package func isIdentical(to other: LoadRequest) -> Bool { box === other.box }
}

/// Values that `URLProtocol.setProperty(_:forKey:in:)` attached to a request.
package struct RequestProperties: @unchecked Sendable {
  // @unchecked: property-list values by contract; the dictionary itself is a value.
  package var values: [String: Any]
  package init(_ values: [String: Any] = [:]) { self.values = values }
}
