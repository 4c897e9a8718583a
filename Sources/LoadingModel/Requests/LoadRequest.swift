import Foundation

/// A request as every layer sees it: `URLRequest` wraps it, and the stages of a load change it on its way to the network.
///
/// Copy-on-write: a copy costs one retain. Durations are in seconds.
package struct LoadRequest: Sendable {
  /// What the request carries as its body. `httpBody` and `httpBodyStream` exclude each other.
  package enum Body: @unchecked Sendable {
    // @unchecked: `InputStream` isn't Sendable. Copies share the stream object, as Apple documents; only the load reads it.
    case none
    case data(Data)
    case stream(InputStream)
    /// A file, from byte `from` on, up to byte `upTo` (not included) or to its end.
    case file(URL, from: Int64 = 0, upTo: Int64? = nil)
    /// A stream that the app supplies each time one is needed, the first time included. Sent are the bytes of the body from `from` on, up to
    /// `upTo` (not included) or to its end.
    case suppliedStream(from: Int64 = 0, upTo: Int64? = nil)
    /// Data and files one after the other. Sent are the bytes of the whole from `from` on, up to `upTo` (not included) or to its end.
    case parts(BodyParts, from: Int64 = 0, upTo: Int64? = nil)
    /// Bytes that the app's code produces while the body is sent.
    case pieces(BodyPieces)
  }

  /// The request's fields. Raw values are those of the public enums.
  package struct Fields: Sendable {
    /// The absolute URL, even if it was set relative to a base.
    package var url: URL? { didSet { relativeURL = nil } }
    /// The URL with its base, if it was set relative to one; `url` is its absolute form. nil otherwise.
    package private(set) var relativeURL: URL?
    package var cachePolicy: UInt = 0
    package var timeoutInterval: Double = 60
    package var mainDocumentURL: URL?
    package var networkServiceType: UInt = 0
    package var allowsCellularAccess = true
    package var allowsExpensiveNetworkAccess = true { didSet { ownAccess.insert(.expensive) } }
    package var allowsConstrainedNetworkAccess = true { didSet { ownAccess.insert(.constrained) } }
    /// The kinds of network for which the request itself has been set; for the others its session decides.
    package private(set) var ownAccess: NetworkAccess = []
    package var allowsUltraConstrainedNetworkAccess = false
    package var assumesHTTP3Capable = false
    package var attribution: UInt = 0
    package var requiresDNSSECValidation = false
    package var allowsPersistentDNS = false
    package var cookiePartitionIdentifier: String?
    /// Session cookies of another process, sent beside the stored ones (`CookieRules.field`).
    package var attachedCookies: [AttachedCookie] = []
    package var method = "GET"
    package var headers = HeaderFields()
    package var body = Body.none
    /// The streams through which an app's `URLProtocol` reads a body of data or of a file; nil for all other requests.
    package var shownBody: ShownBody?
    package var shouldHandleCookies = true
    package var shouldUsePipelining = false
    /// The request's own retry policy; nil leaves it to the session.
    package var retryPolicy: RetryPolicy?
    /// The request's own limits; those that are nil are left to the session.
    package var bodyLimits = BodyLimits()
    /// Values set by `URLProtocol.setProperty`, stored as they were given. The engine never reads them.
    package var properties: RequestProperties?

    /// Sets the URL as an app gives it, with or without a base.
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
  package var timeoutInterval: Double { box.fields.timeoutInterval }
  /// `NSURLRequest.CachePolicy` by raw value.
  package var cachePolicy: UInt { box.fields.cachePolicy }

  /// Whether the session alone decides which kinds of network the request may use.
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

  /// The parsed URL, computed once per request value; nil if the URL has no scheme or, for a hierarchical scheme, no host.
  package var target: Target? { box.target.value { Target(box.fields.url) } }

  /// The request without the cookies that were attached for the daemon of background sessions: in this form the app and resume data get it.
  package var withoutAttachedCookies: LoadRequest {
    guard !attachedCookies.isEmpty else { return self }
    var request = self
    request.mutate { $0.attachedCookies = [] }
    return request
  }

  /// Changes the fields of this copy; others keep theirs.
  package mutating func mutate(_ change: (inout Fields) -> Void) {
    var fields = box.fields
    change(&fields)
    box = Box(fields)
  }

  /// Changes only the header fields, and keeps the parsed URL (`target`).
  package mutating func mutateHeaders(_ change: (inout HeaderFields) -> Void) {
    var fields = box.fields
    change(&fields.headers)
    box = Box(fields, target: box.target)
  }

  /// Whether both share one stored value: a fast test before a comparison of all fields.
  package func isIdentical(to other: LoadRequest) -> Bool { box === other.box }
}

/// Values that `URLProtocol.setProperty(_:forKey:in:)` attached to a request.
package struct RequestProperties: @unchecked Sendable {
  // @unchecked: property-list values by contract; the dictionary itself is a value.
  package var values: [String: Any]
  package init(_ values: [String: Any] = [:]) { self.values = values }
}
