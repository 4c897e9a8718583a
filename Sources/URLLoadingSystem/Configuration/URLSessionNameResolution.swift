public import Foundation

/// How the addresses of servers are found. An addition to Apple's API.
///
///     configuration.nameResolution = .fixed(["api.example.com:443": ["127.0.0.1"]])
///     configuration.nameResolution = .https(URL(string: "https://dns.example/dns-query")!, bootstrap: ["192.0.2.53"])
///
/// URLs, `Host` and the name in TLS don't change. Several addresses of a name are tried by Happy Eyeballs (RFC 8305), as always.
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

  /// Hosts and ports to connect to instead of those of URLs: "host:port" by "host:port", such as `["example.com:443": "127.0.0.1:8443"]`. Default:
  /// none.
  ///
  /// Either half of a key may be left out and means any, as in "example.com" and ":443"; the most specific key counts. If a value has only one half,
  /// the other is the URL's. A proxy is told the URL's host. HTTP/3 is tried at such a place only for requests with `assumesHTTP3Capable`.
  ///
  /// With an entry of another form each load ends with `URLError.cannotConnectToHost`, whose text names the entry.
  public var connectTo: [String: String] = [:]

  init(_ source: Source) { self.source = source }

  /// The system's resolver, which asks /etc/hosts, the DNS and other sources as it is configured.
  public static let system = URLSessionNameResolution(.system)

  /// A table of addresses.
  ///
  /// Names that aren't in it are looked up by the system's resolver. For names that are, no HTTPS records are asked for.
  ///
  /// - Parameter addresses: IP addresses by "host:port", or by "host" for all ports; "*" is any host. With an entry of another form each look-up ends
  ///   with `URLError.dnsLookupFailed`, whose text names the entry.
  public static func fixed(_ addresses: [String: [String]]) -> URLSessionNameResolution { URLSessionNameResolution(.fixed(addresses)) }

  /// A function of the app that returns addresses.
  ///
  /// It is called on any thread, for localhost too but not for IP addresses. Its result for a name and port is used for 30 seconds, or until none of
  /// the addresses could be connected to. HTTPS records aren't asked for.
  ///
  /// - Parameter resolve: Given a host and a port, returns IP addresses. An empty result and `URLError.cannotFindHost` end loads with that error;
  ///   another error ends them with `URLError.dnsLookupFailed`.
  public static func custom(_ resolve: @escaping @Sendable (_ host: String, _ port: Int) async throws -> [String])
    -> URLSessionNameResolution
  {
    URLSessionNameResolution(.custom(resolve))
  }

  /// DNS over HTTPS (RFC 8484): addresses and HTTPS records from a server of the DNS, over a session of their own.
  ///
  /// The system's resolver and /etc/hosts aren't asked; localhost is this machine. Answers are cached as long as the DNS says, but at least a second
  /// and at most an hour. Loads end with `URLError.cannotFindHost` if there is no such name, and with `dnsLookupFailed` if there is no usable answer
  /// within 10 seconds.
  ///
  /// - Parameters:
  ///   - url: The URL to which queries are sent by POST; its scheme is https.
  ///   - bootstrap: IP addresses of the server that `url` names. Empty: the system's resolver is asked for them, and for them alone.
  ///   - trustsDNSSEC: Whether the server's validation is accepted if the configuration's `requiresDNSSECValidation` is set: answers that it doesn't
  ///     mark as validated (the bit AD) are refused then. The server and the connection to it have to be trusted.
  ///   - fallsBackToSystem: Whether the system's resolver is asked if the server has no usable answer; not for names that it says don't exist.
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
  /// It applies to all connections of a session, those to proxies and by FTP too. Proxy scripts use the system's resolver. Background sessions ignore
  /// it.
  public var nameResolution: URLSessionNameResolution {
    get { values.withLock { $0.nameResolution } }
    set { values.change { $0.nameResolution = newValue } }
  }
}
