import Foundation
import LoadingModel

/// The reference form of `URLRequest`: immutable, unless it is an `NSMutableURLRequest`.
///
/// `request as NSURLRequest` and `reference as URLRequest` convert between the two. Not for use from several threads at once
/// if it may be mutable.
open class NSURLRequest: NSObject, NSSecureCoding, NSCopying, NSMutableCopying {
  /// The request's fields. Only `NSMutableURLRequest` changes them.
  package final var load: LoadRequest

  /// Whether requests can be encoded in secure archives: true. A body stream is left out of archives, as Apple documents.
  open class var supportsSecureCoding: Bool {
    ArchiveNames.register()
    return true
  }

  /// A GET request for `URL`.
  ///
  /// - Parameters:
  ///   - URL: The URL to load.
  ///   - cachePolicy: How to use the URL cache.
  ///   - timeoutInterval: Seconds without any progress after which the load fails.
  public init(url URL: URL, cachePolicy: NSURLRequest.CachePolicy, timeoutInterval: TimeInterval) {
    load = URLRequest(url: URL, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval).load
    super.init()
  }

  // A convenience initialiser, as all that aren't public: a designated one would keep subclasses in other modules from inheriting `init(url:)`.
  package convenience init(load: LoadRequest) {
    self.init()
    self.load = load
  }

  /// A GET request for `URL` with the default cache policy and a timeout of 60 seconds.
  public convenience init(url URL: URL) {
    self.init(url: URL, cachePolicy: .useProtocolCachePolicy, timeoutInterval: 60)
  }

  /// A request without a URL.
  public override init() {
    load = LoadRequest(url: nil)
    super.init()
  }

  /// Decodes a request from a keyed archive; nil if the archive holds something else under a request's keys.
  public required init?(coder: NSCoder) {
    guard let fields = LoadRequest.Fields(from: coder) else { return nil }
    load = LoadRequest(fields)
    super.init()
  }

  /// Encodes everything except a body stream and `URLProtocol` properties. A coder without keys gets nothing.
  open func encode(with coder: NSCoder) { load.fields.encode(with: coder) }

  /// The object itself: it is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A new `NSMutableURLRequest` with the same contents; a body stream is shared.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableURLRequest(load: load) }

  /// Whether `object` is a request with equal properties, mutable or not.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSURLRequest else { return false }
    return self === other || URLRequest(load: load) == URLRequest(load: other.load)
  }

  /// Hashes most of the fields that `isEqual` compares; equal requests have equal hashes.
  open override var hash: Int { URLRequest(load: load).hashValue }

  /// Class, address and URL as text.
  open override var description: String {
    let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    return "<\(type(of: self)): 0x\(address)> { URL: \(url?.absoluteString ?? "(null)") }"
  }

  /// The URL to load.
  open var url: URL? { load.fields.relativeURL ?? load.url }

  /// How the request uses the URL cache.
  open var cachePolicy: NSURLRequest.CachePolicy { URLRequest(load: load).cachePolicy }

  /// Seconds without any progress after which the load fails.
  open var timeoutInterval: TimeInterval { load.timeoutInterval }

  /// The URL of the page that the request belongs to; nil if there is none.
  open var mainDocumentURL: URL? { load.fields.mainDocumentURL }

  /// The kind of traffic, a hint for networks.
  open var networkServiceType: NSURLRequest.NetworkServiceType { URLRequest(load: load).networkServiceType }

  /// Whether a cellular network may be used.
  open var allowsCellularAccess: Bool { load.fields.allowsCellularAccess }

  /// Whether a network that the system calls expensive may be used.
  open var allowsExpensiveNetworkAccess: Bool { load.fields.allowsExpensiveNetworkAccess }

  /// Whether a network in low-data mode may be used.
  open var allowsConstrainedNetworkAccess: Bool { load.fields.allowsConstrainedNetworkAccess }

  /// Whether a network of extremely small capacity may be used.
  open var allowsUltraConstrainedNetworkAccess: Bool { load.fields.allowsUltraConstrainedNetworkAccess }

  /// Whether HTTP/3 is tried beside the older versions although the server hasn't announced it; in a build with the package trait `HTTP3`.
  open var assumesHTTP3Capable: Bool { load.fields.assumesHTTP3Capable }

  /// Whether the developer or the user chose the URL.
  open var attribution: NSURLRequest.Attribution { URLRequest(load: load).attribution }

  /// Whether the host's addresses must be validated by DNSSEC.
  open var requiresDNSSECValidation: Bool { load.fields.requiresDNSSECValidation }

  /// Whether addresses of the host may be used after their DNS lifetime has passed.
  open var allowsPersistentDNS: Bool { load.fields.allowsPersistentDNS }

  /// The partition to which the request's cookies belong; nil for none.
  open var cookiePartitionIdentifier: String? { load.fields.cookiePartitionIdentifier }

  /// The HTTP method, such as "GET".
  open var httpMethod: String? { load.method }

  /// All header fields; nil if there are none.
  open var allHTTPHeaderFields: [String: String]? { load.fields.headerDictionary }

  /// The value of a header field, or nil. Letter case of the name doesn't count.
  open func value(forHTTPHeaderField field: String) -> String? { load.headers.joined(field) }

  /// The body as bytes; nil if it is a stream or there is none.
  open var httpBody: Data? { load.fields.bodyData }

  /// The body as a stream; nil if it is bytes or there is none.
  open var httpBodyStream: InputStream? { load.fields.bodyStream }

  /// Whether cookies of the session's storage are sent, and received ones stored.
  open var httpShouldHandleCookies: Bool { load.fields.shouldHandleCookies }

  /// Whether the request may be sent before earlier ones on its HTTP/1.1 connection are answered. Deprecated by Apple.
  open var httpShouldUsePipelining: Bool { load.fields.shouldUsePipelining }
}
