import Foundation
import LoadingModel

/// A request object that can be changed. To be used by one thread at a time; a session copies it when a task is made.
///
/// Its properties have the same meaning as those of the same name in `URLRequest`.
open class NSMutableURLRequest: NSURLRequest {
  /// An immutable `NSURLRequest` with the present contents.
  open override func copy(with zone: NSZone? = nil) -> Any { NSURLRequest(load: load) }

  /// The URL to load.
  open override var url: URL? {
    get { super.url }
    set { load.mutate { $0.setURL(newValue) } }
  }

  /// How the request uses the URL cache. Default: `.useProtocolCachePolicy`.
  open override var cachePolicy: NSURLRequest.CachePolicy {
    get { super.cachePolicy }
    set { load.mutate { $0.cachePolicy = newValue.rawValue } }
  }

  /// Seconds without any progress after which the load fails. Default: 60.
  open override var timeoutInterval: TimeInterval {
    get { super.timeoutInterval }
    set { load.mutate { $0.timeoutInterval = newValue } }
  }

  /// The URL of the page that the request belongs to: it decides which cookies count as third-party. Default: nil.
  open override var mainDocumentURL: URL? {
    get { super.mainDocumentURL }
    set { load.mutate { $0.mainDocumentURL = newValue } }
  }

  /// The kind of traffic, a hint for networks. Default: `.default`.
  open override var networkServiceType: NSURLRequest.NetworkServiceType {
    get { super.networkServiceType }
    set { load.mutate { $0.networkServiceType = newValue.rawValue } }
  }

  /// Whether a cellular network may be used. Default: true.
  open override var allowsCellularAccess: Bool {
    get { super.allowsCellularAccess }
    set { load.mutate { $0.allowsCellularAccess = newValue } }
  }

  /// Whether a network that the system calls expensive may be used. Default: true.
  open override var allowsExpensiveNetworkAccess: Bool {
    get { super.allowsExpensiveNetworkAccess }
    set { load.mutate { $0.allowsExpensiveNetworkAccess = newValue } }
  }

  /// Whether a network in low-data mode may be used. Default: true.
  open override var allowsConstrainedNetworkAccess: Bool {
    get { super.allowsConstrainedNetworkAccess }
    set { load.mutate { $0.allowsConstrainedNetworkAccess = newValue } }
  }

  /// Whether a network of extremely small capacity may be used. Default: false.
  open override var allowsUltraConstrainedNetworkAccess: Bool {
    get { super.allowsUltraConstrainedNetworkAccess }
    set { load.mutate { $0.allowsUltraConstrainedNetworkAccess = newValue } }
  }

  /// Whether HTTP/3 is tried beside the older versions although the server hasn't announced it; in a build with the package trait `HTTP3`. Default:
  /// false.
  open override var assumesHTTP3Capable: Bool {
    get { super.assumesHTTP3Capable }
    set { load.mutate { $0.assumesHTTP3Capable = newValue } }
  }

  /// Whether the developer or the user chose the URL. Default: `.developer`.
  open override var attribution: NSURLRequest.Attribution {
    get { super.attribution }
    set { load.mutate { $0.attribution = newValue.rawValue } }
  }

  /// Whether the host's addresses must be validated by DNSSEC. Default: false.
  open override var requiresDNSSECValidation: Bool {
    get { super.requiresDNSSECValidation }
    set { load.mutate { $0.requiresDNSSECValidation = newValue } }
  }

  /// Whether addresses of the host may be used after their DNS lifetime has passed. Default: false.
  open override var allowsPersistentDNS: Bool {
    get { super.allowsPersistentDNS }
    set { load.mutate { $0.allowsPersistentDNS = newValue } }
  }

  /// The partition to which the request's cookies belong. Default: nil, no partition.
  open override var cookiePartitionIdentifier: String? {
    get { super.cookiePartitionIdentifier }
    set { load.mutate { $0.cookiePartitionIdentifier = newValue } }
  }

  /// The method, "GET" by default. Well-known names are upper-cased, others kept as given.
  open override var httpMethod: String {
    get { load.method }
    set { load.mutate { $0.method = LoadRequest.Fields.method(newValue) } }
  }

  /// All header fields; nil if there are none. Assigning replaces all.
  open override var allHTTPHeaderFields: [String: String]? {
    get { super.allHTTPHeaderFields }
    set { load.mutate { $0.headerDictionary = newValue } }
  }

  /// Replaces a header field; nil removes it. Letter case of the name doesn't count. A value with CR, LF or NUL changes nothing.
  open func setValue(_ value: String?, forHTTPHeaderField field: String) {
    load.mutate { $0.setHeader(field, value) }
  }

  /// Appends a value to a header field after a comma, or sets it. A value with CR, LF or NUL changes nothing.
  open func addValue(_ value: String, forHTTPHeaderField field: String) {
    load.mutate { $0.addHeader(field, value) }
  }

  /// The body as bytes. Assigning removes a body stream.
  open override var httpBody: Data? {
    get { super.httpBody }
    set { load.mutate { $0.bodyData = newValue } }
  }

  /// The body as a stream. Assigning removes body bytes.
  open override var httpBodyStream: InputStream? {
    get { super.httpBodyStream }
    set { load.mutate { $0.bodyStream = newValue } }
  }

  /// Whether cookies of the session's storage are sent, and received ones stored. Default: true.
  open override var httpShouldHandleCookies: Bool {
    get { super.httpShouldHandleCookies }
    set { load.mutate { $0.shouldHandleCookies = newValue } }
  }

  /// Whether the request may be sent before earlier ones on its HTTP/1.1 connection are answered, if it is safe and has no body, as
  /// `URLSessionConfiguration.httpShouldUsePipelining` describes it. Default: false. Deprecated by Apple.
  open override var httpShouldUsePipelining: Bool {
    get { super.httpShouldUsePipelining }
    set { load.mutate { $0.shouldUsePipelining = newValue } }
  }
}
