import Foundation

/// The server or proxy, and within it the realm, for which a credential is valid. Immutable; compares like a value.
open class URLProtectionSpace: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  // @unchecked: every stored property is an immutable value; subclasses answer for what they add.
  private let fields: Fields

  private init(_ fields: Fields) {
    self.fields = fields
    super.init()
  }

  /// A space with an empty host. A placeholder, for tests and for subclasses.
  public override init() {
    fields = Fields(peer: .server(protocol: nil), host: "", port: 0, realm: nil, method: nil)
    super.init()
  }

  /// A space on a server.
  ///
  /// - Parameters:
  ///   - host: The server's name or address.
  ///   - port: Its port; 0 for the protocol's default.
  ///   - protocol: One of the `NSURLProtectionSpace…` constants, such as `NSURLProtectionSpaceHTTPS`.
  ///   - realm: The realm as the server names it; nil where the method has none.
  ///   - authenticationMethod: One of the `NSURLAuthenticationMethod…` constants; nil for `NSURLAuthenticationMethodDefault`.
  public init(host: String, port: Int, protocol: String?, realm: String?, authenticationMethod: String?) {
    fields = Fields(peer: .server(protocol: `protocol`), host: host, port: port, realm: realm, method: authenticationMethod)
    super.init()
  }

  /// A space on a proxy.
  ///
  /// - Parameters:
  ///   - host: The proxy's name or address.
  ///   - port: Its port; 0 for the default.
  ///   - type: One of the `NSURLProtectionSpace…Proxy` constants.
  ///   - realm: The realm as the proxy names it; nil where the method has none.
  ///   - authenticationMethod: One of the `NSURLAuthenticationMethod…` constants; nil for `NSURLAuthenticationMethodDefault`.
  public init(proxyHost host: String, port: Int, type: String?, realm: String?, authenticationMethod: String?) {
    fields = Fields(peer: .proxy(type: type), host: host, port: port, realm: realm, method: authenticationMethod)
    super.init()
  }

  /// The space of a TLS server whose certificates are to be evaluated.
  package convenience init(serverTrust trust: SecTrust, port: Int) {
    self.init(
      Fields(
        peer: .server(protocol: NSURLProtectionSpaceHTTPS), host: trust.host, port: port, realm: nil,
        method: NSURLAuthenticationMethodServerTrust, trust: trust))
  }

  /// The space of a TLS server that asks for a client certificate from one of `issuers`, distinguished names in DER.
  package convenience init(clientCertificateFor host: String, port: Int, issuers: [Data]) {
    self.init(
      Fields(
        peer: .server(protocol: NSURLProtectionSpaceHTTPS), host: host, port: port, realm: nil,
        method: NSURLAuthenticationMethodClientCertificate, issuers: issuers))
  }

  /// Decodes a space; nil if the archive doesn't hold one. Trust and issuers aren't archived.
  public required init?(coder: NSCoder) {
    guard coder.allowsKeyedCoding,
      let host = try? coder.object(NSString.self, ArchiveKey.host),
      let method = try? coder.object(NSString.self, ArchiveKey.method),
      let port = try? coder.object(NSNumber.self, ArchiveKey.port),
      let isProxy = try? coder.object(NSNumber.self, ArchiveKey.isProxy)
    else { return nil }
    let kind = (try? coder.object(NSString.self, ArchiveKey.kind)) as String?
    fields = Fields(
      peer: isProxy.boolValue ? .proxy(type: kind) : .server(protocol: kind), host: host as String, port: port.intValue,
      realm: (try? coder.object(NSString.self, ArchiveKey.realm)) as String?, method: method as String)
    super.init()
  }

  /// The realm; nil for methods that have none.
  open var realm: String? { fields.realm }

  /// Whether a credential can be sent here without being readable on the network: the connection is encrypted, or the method hides the password.
  open var receivesCredentialSecurely: Bool {
    switch fields.peer {
    case .server(let name) where name == NSURLProtectionSpaceHTTPS || name == "ftps": return true
    case .proxy(let type) where type == NSURLProtectionSpaceHTTPSProxy: return true
    case .server, .proxy:
      let plain = [NSURLAuthenticationMethodDefault, NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTMLForm]
      return !plain.contains(fields.method)
    }
  }

  /// Whether the space is on a proxy.
  open override func isProxy() -> Bool {
    if case .proxy = fields.peer { true } else { false }
  }

  /// The server's or proxy's name or address.
  open var host: String { fields.host }

  /// The port; 0 means the default.
  open var port: Int { fields.port }

  /// The kind of proxy; nil for a server.
  open var proxyType: String? {
    if case .proxy(let type) = fields.peer { type } else { nil }
  }

  /// The server's protocol; nil for a proxy.
  open var `protocol`: String? {
    if case .server(let name) = fields.peer { name } else { nil }
  }

  /// The authentication method: one of the `NSURLAuthenticationMethod…` constants.
  open var authenticationMethod: String { fields.method }

  /// Issuers whose client certificates the server accepts, distinguished names in DER; nil unless it asks for a certificate.
  open var distinguishedNames: [Data]? { fields.issuers }

  /// The server's certificates, to be evaluated; nil unless the challenge is `NSURLAuthenticationMethodServerTrust`.
  open var serverTrust: SecTrust? { fields.trust }

  /// True: the class can be encoded in a secure archive.
  open class var supportsSecureCoding: Bool { true }

  /// Encodes all fields except server trust and issuers, which belong to one connection.
  open func encode(with coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return }
    coder.encode(fields.host as NSString, forKey: ArchiveKey.host)
    coder.encode(NSNumber(value: fields.port), forKey: ArchiveKey.port)
    coder.encode(NSNumber(value: isProxy()), forKey: ArchiveKey.isProxy)
    coder.encode((`protocol` ?? proxyType) as NSString?, forKey: ArchiveKey.kind)
    coder.encode(fields.realm as NSString?, forKey: ArchiveKey.realm)
    coder.encode(fields.method as NSString, forKey: ArchiveKey.method)
  }

  /// The object itself, as it is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether a credential for one space is valid for the other. Hosts compare without case (RFC 3986, 3.2.2); port 0 is the protocol's default.
  /// Server trust and issuers aren't compared.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? URLProtectionSpace else { return false }
    return self === other || fields.key == other.fields.key
  }

  /// A hash of the properties that `isEqual(_:)` compares: equal objects have equal hashes.
  open override var hash: Int { fields.key.hashValue }

  /// Address, host, protocol, method, realm, port and proxy, in the form of Darwin's `NSURLProtectionSpace`.
  open override var description: String {
    let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    let parts = [
      "Host:\(fields.host)", "Server:\(`protocol` ?? "(null)")", "Auth-Scheme:\(fields.method)", "Realm:\(fields.realm ?? "(null)")",
      "Port:\(fields.port)", "Proxy:\(isProxy() ? "YES" : "NO")", "Proxy-Type:\(proxyType ?? "(null)")",
    ]
    return "<\(type(of: self)): 0x\(address): \(parts.joined(separator: ", "))>"
  }

  private enum ArchiveKey {
    static let host = "NS.host"
    static let port = "NS.port"
    static let isProxy = "NS.isProxy"
    static let kind = "NS.kind"
    static let realm = "NS.realm"
    static let method = "NS.authMethod"
  }
}

extension URLProtectionSpace {
  private enum Peer: Hashable, Sendable {
    case server(protocol: String?)
    case proxy(type: String?)
  }

  private struct Fields: Sendable {
    let peer: Peer
    let host: String
    let port: Int
    let realm: String?
    let method: String
    let issuers: [Data]?
    let trust: SecTrust?

    init(
      peer: Peer, host: String, port: Int, realm: String?, method: String?, issuers: [Data]? = nil, trust: SecTrust? = nil
    ) {
      self.peer = peer
      self.host = host
      self.port = port
      self.realm = realm
      self.method = method ?? NSURLAuthenticationMethodDefault
      self.issuers = issuers
      self.trust = trust
    }

    var key: Key {
      Key(peer: peer, host: host.lowercased(), port: port == 0 ? defaultPort : port, realm: realm, method: method)
    }

    private var defaultPort: Int {
      switch peer {
      case .server("http"): 80
      case .server("https"): 443
      case .server("ftp"): 21
      case .server("ftps"): 990
      case .server, .proxy: 0
      }
    }
  }

  /// The fields by which two spaces are compared, in normalised form.
  private struct Key: Hashable {
    let peer: Peer
    let host: String
    let port: Int
    let realm: String?
    let method: String
  }
}
