import Foundation
import LoadingModel

/// The reference form of `URLRequest`: immutable, unless it is an `NSMutableURLRequest`.
///
/// `request as NSURLRequest` and `reference as URLRequest` convert between the two. Not for use from several threads at once
/// if it may be mutable.
open class NSURLRequest: NSObject, NSSecureCoding, NSCopying, NSMutableCopying {
  /// Changed by `NSMutableURLRequest` only.
  package final var load: LoadRequest

  /// Whether requests can be archived securely: true. A body stream is left out of archives, as Apple documents.
  open class var supportsSecureCoding: Bool {
    ArchiveNames.register()
    return true
  }

  /// A GET request for `URL`.
  ///
  /// - Parameters:
  ///   - URL: What to load.
  ///   - cachePolicy: How to use the URL cache.
  ///   - timeoutInterval: Seconds without any progress after which the load fails.
  public init(url URL: URL, cachePolicy: NSURLRequest.CachePolicy, timeoutInterval: TimeInterval) {
    load = URLRequest(url: URL, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval).load
    super.init()
  }

  // Convenience, like every initialiser that isn't public: a designated one would keep subclasses in other modules from inheriting
  // `init(url:)`.
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

  /// A request from a keyed archive; nil if the archive holds something else under a request's keys.
  public required init?(coder: NSCoder) {
    guard let fields = LoadRequest.Fields(from: coder) else { return nil }
    load = LoadRequest(fields)
    super.init()
  }

  /// Writes everything but a body stream and `URLProtocol` properties. A coder without keys gets nothing.
  open func encode(with coder: NSCoder) { load.fields.encode(with: coder) }

  /// The object itself: it is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A new `NSMutableURLRequest` with the same contents; a body stream is shared.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableURLRequest(load: load) }

  /// Whether `object` is a request that asks for the same, mutable or not.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSURLRequest else { return false }
    return self === other || URLRequest(load: load) == URLRequest(load: other.load)
  }

  /// Hashes what `isEqual` compares.
  open override var hash: Int { URLRequest(load: load).hashValue }

  /// Class, address and URL.
  open override var description: String {
    let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    return "<\(type(of: self)): 0x\(address)> { URL: \(url?.absoluteString ?? "(null)") }"
  }

  /// What to load.
  open var url: URL? { load.fields.relativeURL ?? load.url }

  /// How the request uses the URL cache.
  open var cachePolicy: NSURLRequest.CachePolicy { URLRequest(load: load).cachePolicy }

  /// Seconds without any progress after which the load fails.
  open var timeoutInterval: TimeInterval { load.fields.timeoutInterval }

  /// The address of the page the request belongs to.
  open var mainDocumentURL: URL? { load.fields.mainDocumentURL }

  /// What kind of traffic the request is.
  open var networkServiceType: NSURLRequest.NetworkServiceType { URLRequest(load: load).networkServiceType }

  /// Whether a cellular network may be used.
  open var allowsCellularAccess: Bool { load.fields.allowsCellularAccess }

  /// Whether a network that the system calls expensive may be used.
  open var allowsExpensiveNetworkAccess: Bool { load.fields.allowsExpensiveNetworkAccess }

  /// Whether a network in low-data mode may be used.
  open var allowsConstrainedNetworkAccess: Bool { load.fields.allowsConstrainedNetworkAccess }

  /// Whether a network of extremely small capacity may be used.
  open var allowsUltraConstrainedNetworkAccess: Bool { load.fields.allowsUltraConstrainedNetworkAccess }

  /// Whether the server may be taken to speak HTTP/3 before it has announced it: then HTTP/3 is tried beside the older versions, in a build
  /// with the package trait `HTTP3`.
  open var assumesHTTP3Capable: Bool { load.fields.assumesHTTP3Capable }

  /// Whether the developer or the user chose the address.
  open var attribution: NSURLRequest.Attribution { URLRequest(load: load).attribution }

  /// Whether the host's addresses must be validated by DNSSEC.
  open var requiresDNSSECValidation: Bool { load.fields.requiresDNSSECValidation }

  /// Whether addresses remembered past their lifetime may be used.
  open var allowsPersistentDNS: Bool { load.fields.allowsPersistentDNS }

  /// The cookie partition the request belongs to.
  open var cookiePartitionIdentifier: String? { load.fields.cookiePartitionIdentifier }

  /// The method.
  open var httpMethod: String? { load.method }

  /// All header fields; nil if there are none.
  open var allHTTPHeaderFields: [String: String]? { load.fields.headerDictionary }

  /// The value of a header field, or nil. Letter case of the name doesn't count.
  open func value(forHTTPHeaderField field: String) -> String? { load.headers.joined(field) }

  /// The body as bytes.
  open var httpBody: Data? { load.fields.bodyData }

  /// The body as a stream.
  open var httpBodyStream: InputStream? { load.fields.bodyStream }

  /// Whether cookies of the session's storage are sent, and received ones stored.
  open var httpShouldHandleCookies: Bool { load.fields.shouldHandleCookies }

  /// Whether the request may be sent before earlier ones on its HTTP/1.1 connection are answered. Deprecated by Apple.
  open var httpShouldUsePipelining: Bool { load.fields.shouldUsePipelining }
}
