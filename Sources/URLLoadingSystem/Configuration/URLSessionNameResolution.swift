public import Foundation

/// How the addresses of servers are found. An addition to Apple's API.
///
///     configuration.nameResolution = .fixed(["api.example.com:443": ["127.0.0.1"]])
///     configuration.nameResolution = .https(URL(string: "https://dns.example/dns-query")!, bootstrap: ["192.0.2.53"])
///
/// URLs, `Host` and the name in TLS stay as they are. Several addresses of a name race (RFC 8305), as ever.
public struct URLSessionNameResolution: Sendable {
  enum Source: Sendable {
    case system
    case fixed([String: [String]])
    case custom(@Sendable (String, Int) async throws -> [String])
    case https(DNSServer)
  }

  struct DNSServer: Sendable {
    let url: URL
    let bootstrap: [String]
    let trustsDNSSEC: Bool
    let fallsBackToSystem: Bool
  }

  var source: Source

  /// Places that are connected to in the stead of those that URLs name: "host:port" by "host:port", such as
  /// `["example.com:443": "127.0.0.1:8443"]`. Default: none.
  ///
  /// Either half of a key may be left out and means any, as in "example.com" and ":443"; the closest key counts. Where a value has one half, the
  /// other stays. Where a proxy is used, it is told the URL's host. HTTP/3 is tried at such a place only for requests with
  /// `assumesHTTP3Capable`.
  ///
  /// With an entry of another form each load ends with `URLError.cannotConnectToHost`, whose text names it.
  public var connectTo: [String: String] = [:]

  init(_ source: Source) { self.source = source }

  /// The system's resolver: /etc/hosts, the DNS and whatever else it is set to ask.
  public static let system = URLSessionNameResolution(.system)

  /// Addresses by name.
  ///
  /// Names that aren't in the table are asked of the system; HTTPS records aren't asked for those that are.
  ///
  /// - Parameter addresses: IP addresses by "host:port", or by "host" for all ports; "*" is any host. With something else each look-up ends with
  ///   `URLError.dnsLookupFailed`, whose text names it.
  public static func fixed(_ addresses: [String: [String]]) -> URLSessionNameResolution { URLSessionNameResolution(.fixed(addresses)) }

  /// Addresses that a function of the app finds.
  ///
  /// It is called on no particular thread, for each name and port once in 30 seconds and where none of its addresses could be connected to,
  /// also for localhost. It isn't called for addresses. HTTPS records aren't asked for.
  ///
  /// - Parameter resolve: Given a host and a port, returns IP addresses. None, or `URLError.cannotFindHost`, ends loads with that error; another
  ///   error ends them with `URLError.dnsLookupFailed`.
  public static func custom(_ resolve: @escaping @Sendable (_ host: String, _ port: Int) async throws -> [String])
    -> URLSessionNameResolution
  {
    URLSessionNameResolution(.custom(resolve))
  }

  /// DNS over HTTPS (RFC 8484): addresses and HTTPS records from a server of the DNS, over a session of their own.
  ///
  /// The system's resolver isn't asked, nor is /etc/hosts; localhost is this machine. Answers are kept as long as the DNS says, between a second
  /// and an hour. Loads end with `URLError.cannotFindHost` where there is no such name, and with `dnsLookupFailed` where there is no usable
  /// answer within 10 seconds.
  ///
  /// - Parameters:
  ///   - url: Where questions are sent by POST; its scheme is https.
  ///   - bootstrap: IP addresses of the server that `url` names. Empty: the system's resolver is asked for them, and for them alone.
  ///   - trustsDNSSEC: Whether the server's word counts where `requiresDNSSECValidation` of the configuration is set: answers that it doesn't call
  ///     validated (the bit AD) are refused then. The server, and the way to it, have to be trusted.
  ///   - fallsBackToSystem: Whether the system's resolver is asked where the server has no usable answer: not for names that don't exist.
  public static func https(
    _ url: URL, bootstrap: [String] = [], trustsDNSSEC: Bool = false, fallsBackToSystem: Bool = false
  ) -> URLSessionNameResolution {
    URLSessionNameResolution(
      .https(DNSServer(url: url, bootstrap: bootstrap, trustsDNSSEC: trustsDNSSEC, fallsBackToSystem: fallsBackToSystem)))
  }
}

extension URLSessionConfiguration {
  /// How the addresses of servers are found. An addition to Apple's API. Default: `.system`.
  ///
  /// It holds for all connections of a session, also to proxies and by FTP. Proxy scripts ask the system. Background sessions ignore it.
  public var nameResolution: URLSessionNameResolution {
    get { values.withLock { $0.nameResolution } }
    set { values.withLock { $0.nameResolution = newValue } }
  }
}
