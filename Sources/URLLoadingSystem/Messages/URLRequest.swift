import Foundation
import LoadingModel

/// What to load and how: URL, method, header fields, body, cache policy and limits.
///
/// A value; copies share storage until one of them changes, and share a body stream always. Safe to pass between threads.
///
/// A header field's value with a line break or NUL is dropped; one that is folded (a line break before white space) is put on one line. A method or
/// the name of a field that could not be sent safely makes the load fail.
public struct URLRequest: Sendable {
  /// The class that `request as NSURLRequest` converts to.
  public typealias ReferenceType = NSURLRequest
  /// How the request uses the URL cache.
  public typealias CachePolicy = NSURLRequest.CachePolicy
  /// The kind of traffic of a request, a hint for networks.
  public typealias NetworkServiceType = NSURLRequest.NetworkServiceType
  /// Whether the developer or the user chose the request's URL.
  public typealias Attribution = NSURLRequest.Attribution

  package var load: LoadRequest

  package init(load: LoadRequest) { self.load = load }

  /// A GET request for `url`.
  ///
  /// - Parameters:
  ///   - url: The URL to load.
  ///   - cachePolicy: How to use the URL cache.
  ///   - timeoutInterval: Seconds without any progress after which the load fails.
  public init(url: URL, cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60.0) {
    load = LoadRequest(url: url.baseURL == nil ? url : url.absoluteURL)
    guard cachePolicy != .useProtocolCachePolicy || timeoutInterval != 60 else { return }
    load.mutate {
      $0.cachePolicy = cachePolicy.rawValue
      $0.timeoutInterval = timeoutInterval
    }
  }

  /// The URL to load. A relative URL that is assigned keeps its base, against which the load resolves it; the initialiser makes its URL absolute.
  /// Without a URL the load fails with `URLError.unsupportedURL`.
  public var url: URL? {
    get { load.fields.relativeURL ?? load.url }
    set { load.mutate { $0.setURL(newValue) } }
  }

  /// How the request uses the URL cache. Default: `.useProtocolCachePolicy`.
  public var cachePolicy: URLRequest.CachePolicy {
    get { CachePolicy(rawValue: load.fields.cachePolicy) ?? .useProtocolCachePolicy }
    set { load.mutate { $0.cachePolicy = newValue.rawValue } }
  }

  /// Seconds without any progress after which the load fails with `URLError.timedOut`. Default: 60.
  ///
  /// A request left at 60 takes the session's `timeoutIntervalForRequest`, and so does NaN. Infinity, zero and less mean no limit.
  public var timeoutInterval: TimeInterval {
    get { load.timeoutInterval }
    set { load.mutate { $0.timeoutInterval = newValue } }
  }

  /// The URL of the page that the request belongs to: it decides which cookies count as third-party. Default: nil.
  public var mainDocumentURL: URL? {
    get { load.fields.mainDocumentURL }
    set { load.mutate { $0.mainDocumentURL = newValue } }
  }

  /// The kind of traffic, a hint for networks. Default: `.default`.
  public var networkServiceType: URLRequest.NetworkServiceType {
    get { NetworkServiceType(rawValue: load.fields.networkServiceType) ?? .default }
    set { load.mutate { $0.networkServiceType = newValue.rawValue } }
  }

  /// Whether a cellular network may be used. Default: true.
  public var allowsCellularAccess: Bool {
    get { load.fields.allowsCellularAccess }
    set { load.mutate { $0.allowsCellularAccess = newValue } }
  }

  /// Whether a network that the system calls expensive may be used. Default: true.
  public var allowsExpensiveNetworkAccess: Bool {
    get { load.fields.allowsExpensiveNetworkAccess }
    set { load.mutate { $0.allowsExpensiveNetworkAccess = newValue } }
  }

  /// Whether a network in low-data mode may be used. Default: true.
  public var allowsConstrainedNetworkAccess: Bool {
    get { load.fields.allowsConstrainedNetworkAccess }
    set { load.mutate { $0.allowsConstrainedNetworkAccess = newValue } }
  }

  /// Whether a network of extremely small capacity may be used. Default: false.
  public var allowsUltraConstrainedNetworkAccess: Bool {
    get { load.fields.allowsUltraConstrainedNetworkAccess }
    set { load.mutate { $0.allowsUltraConstrainedNetworkAccess = newValue } }
  }

  /// Whether HTTP/3 is tried beside the older versions although the server hasn't announced it; in a build with the package trait `HTTP3`. Default:
  /// false.
  public var assumesHTTP3Capable: Bool {
    get { load.fields.assumesHTTP3Capable }
    set { load.mutate { $0.assumesHTTP3Capable = newValue } }
  }

  /// Whether the developer or the user chose the URL. Default: `.developer`.
  public var attribution: URLRequest.Attribution {
    get { Attribution(rawValue: load.fields.attribution) ?? .developer }
    set { load.mutate { $0.attribution = newValue.rawValue } }
  }

  /// Whether the host's addresses must be validated by DNSSEC. Default: false.
  public var requiresDNSSECValidation: Bool {
    get { load.fields.requiresDNSSECValidation }
    set { load.mutate { $0.requiresDNSSECValidation = newValue } }
  }

  /// Whether addresses of the host may be used after their DNS lifetime has passed. Default: false.
  public var allowsPersistentDNS: Bool {
    get { load.fields.allowsPersistentDNS }
    set { load.mutate { $0.allowsPersistentDNS = newValue } }
  }

  /// The partition to which the request's cookies belong. Default: nil, no partition.
  public var cookiePartitionIdentifier: String? {
    get { load.fields.cookiePartitionIdentifier }
    set { load.mutate { $0.cookiePartitionIdentifier = newValue } }
  }

  /// The HTTP method, "GET" by default; assigning nil restores it.
  ///
  /// GET, HEAD, POST, PUT, DELETE and CONNECT are upper-cased; any other name is kept and sent as given.
  public var httpMethod: String? {
    get { load.method }
    set { load.mutate { $0.method = LoadRequest.Fields.method(newValue) } }
  }

  /// All header fields; nil if there are none, also after an empty dictionary was assigned.
  ///
  /// Well-known names read back in their usual capitalisation ("Content-Type"). Assigning replaces all fields; values with CR, LF or NUL
  /// are left out.
  public var allHTTPHeaderFields: [String: String]? {
    get { load.fields.headerDictionary }
    set { load.mutate { $0.headerDictionary = newValue } }
  }

  /// The value of a header field, or nil. Letter case of the name doesn't count.
  public func value(forHTTPHeaderField field: String) -> String? { load.headers.joined(field) }

  /// Replaces a header field; nil removes it. Letter case of the name doesn't count. A value with CR, LF or NUL changes nothing.
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
    load.mutate { $0.setHeader(field, value) }
  }

  /// Appends a value to a header field after a comma, or sets it. A value with CR, LF or NUL changes nothing.
  public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {
    load.mutate { $0.addHeader(field, value) }
  }

  /// The body as bytes. Assigning removes a body stream. Default: nil.
  public var httpBody: Data? {
    get { load.fields.bodyData }
    set { load.mutate { $0.bodyData = newValue } }
  }

  /// The body as a stream that the load opens and reads. Assigning removes body bytes. Default: nil.
  public var httpBodyStream: InputStream? {
    get { load.fields.bodyStream }
    set { load.mutate { $0.bodyStream = newValue } }
  }

  /// Whether cookies of the session's storage are sent, and received ones stored. Default: true.
  public var httpShouldHandleCookies: Bool {
    get { load.fields.shouldHandleCookies }
    set { load.mutate { $0.shouldHandleCookies = newValue } }
  }

  /// Whether the request may be sent before earlier ones on its HTTP/1.1 connection are answered, if it is safe and has no body, as
  /// `URLSessionConfiguration.httpShouldUsePipelining` describes it. Default: false. Deprecated by Apple.
  public var httpShouldUsePipelining: Bool {
    get { load.fields.shouldUsePipelining }
    set { load.mutate { $0.shouldUsePipelining = newValue } }
  }
}
