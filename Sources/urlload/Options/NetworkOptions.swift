import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import URLLoadingSystem

/// The options about proxies, addresses, HTTP versions and TLS, as given on the command line.
struct NetworkOptions: Sendable {
  var proxy: String?
  var proxyUser: String?
  var noproxy: String?
  var socks5: String?
  var resolve: [String] = []
  var connectTo: [String] = []
  var unixSocket: String?
  var abstractUnixSocket: String?
  var dohURL: String?
  /// nil for both families.
  var family: AddressFamily?
  /// nil for the best version that client and server have.
  var version: HTTPVersionChoice?
  var sendsEarlyData = false
  var oldestTLS: TLSVersionChoice?
  var newestTLS: TLSVersionChoice?

  /// - Throws: If one of the values is wrong, whatever the other options are.
  func validateValues() throws(UsageError) {
    if socks5?.contains("://") == true { throw UsageError("--socks5 takes host:port; --proxy takes URLs.") }
    if case .failure(let error) = chosen { throw UsageError("\(error.message).") }
    var (places, server) = (NetworkOptions(), NetworkOptions())
    (places.resolve, places.connectTo, server.dohURL) = (resolve, connectTo, dohURL)
    _ = try NamePlaces(places)
    _ = try NamePlaces(server)
  }

  func validate() throws(UsageError) {
    if proxy != nil, socks5 != nil { throw UsageError("--proxy and --socks5 both name the proxy; leave one of the two out.") }
    try validateValues()
    if unixSocket != nil, abstractUnixSocket != nil {
      throw UsageError("--unix-socket and --abstract-unix-socket both name the socket; leave one of the two out.")
    }
    _ = try NamePlaces(self)
    #if !HTTP3
      if version == .http3 || version == .http3Only || sendsEarlyData {
        throw UsageError("This urlload was built without HTTP/3; build it with the package's trait: swift build --traits HTTP3.")
      }
    #endif
    if let oldestTLS, let newestTLS, oldestTLS > newestTLS {
      throw UsageError("--\(oldestTLS.optionName) is above --tls-max; no version of TLS is left.")
    }
    if proxyUser != nil, chosen == nil { throw UsageError("--proxy-user is the login of a proxy; name that with --proxy.") }
  }

  /// The HTTP versions that the session may use.
  var httpVersions: HTTPVersions {
    switch version {
    case .http1: .http1
    case .http2: .http1AndHTTP2
    case .http3, nil: .all
    case .http3Only: .http3Only
    }
  }

  /// Whether HTTP/3 is tried with servers that haven't offered it.
  var assumesHTTP3: Bool { version == .http3 || version == .http3Only }

  /// The proxy settings of the command line; nil if the environment determines them.
  var proxySettings: ProxySettings? {
    if isDirect { return ProxySettings() }
    guard chosen != nil || noproxy != nil else { return nil }
    let environment = ProcessEnvironment.variables
    var settings = ProxySettings()
    if let chosen {
      settings.entries = [ProxySettings.Entry(Set(ProxySettings.Family.allCases), chosen)]
      settings.exceptions.patterns = ProxySettings.noProxy(environment["no_proxy"] ?? environment["NO_PROXY"] ?? "")
    } else {
      settings = ProxySettings(environment: { environment[$0] })
    }
    if let noproxy {
      settings.exceptions = ProxySettings.Exceptions()
      settings.exceptions.patterns = ProxySettings.noProxy(noproxy)
    }
    return settings
  }

  /// What `-4` or `-6` means for URLs with an address; nil without these options. Blocks while a desktop's settings are read.
  var familyRule: FamilyRule? {
    (try? NamePlaces(self))?.rule(proxySettings ?? .system)
  }

  /// Whether the fields have a proxy's login by the scheme Basic, and the options name a proxy that has no other.
  func takesProxyLogin(_ fields: [HeaderArgument]) -> Bool {
    chosen != nil && proxyUser == nil && NetworkOptions.proxyLogin(in: fields) != nil
  }

  /// The options with the login of a `Proxy-Authorization` field as that of the proxy: the library sends no such field, which would reach servers.
  func takingProxyLogin(_ fields: [HeaderArgument]) -> NetworkOptions {
    guard takesProxyLogin(fields) else { return self }
    var options = self
    options.proxyUser = NetworkOptions.proxyLogin(in: fields)
    return options
  }

  /// The user and password in a field `Proxy-Authorization: Basic …` (RFC 7617, 2); nil if there is none.
  private static func proxyLogin(in fields: [HeaderArgument]) -> String? {
    guard let words = fields.first(setting: "proxy-authorization")?.value.split(separator: " "), words.count == 2,
      words[0].lowercased() == "basic", let pair = Data(base64Encoded: String(words[1]))
    else { return nil }
    return String(validating: pair, as: UTF8.self).flatMap { $0.contains(":") ? $0 : nil }
  }

  private var isDirect: Bool { proxy?.isEmpty == true }

  private var chosen: Result<Proxy, LoadError>? {
    if isDirect { return nil }
    if let socks5 { return ProxyAddress.parse(withLogin("socks5://\(socks5)"), named: "--socks5") }
    return proxy.map { ProxyAddress.parse(withLogin($0), named: "--proxy") }
  }

  /// The proxy's URL with the login of `--proxy-user` in the place of its own.
  private func withLogin(_ proxy: String) -> String {
    guard let proxyUser else { return proxy }
    let start = proxy.range(of: "://")?.upperBound ?? proxy.startIndex
    let authority = proxy[start...].prefix { $0 != "/" }
    let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    let parts = proxyUser.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { PercentEncoding.text(String($0)) }
    return "\(proxy[..<start])\(parts.joined(separator: ":"))@\(place)"
  }
}

/// The HTTP version that an option asks for.
enum HTTPVersionChoice: String, Sendable {
  case http1 = "http1.1"
  case http2
  case http3
  case http3Only = "http3-only"
}

/// A TLS version that an option names.
enum TLSVersionChoice: String, Sendable, CaseIterable, Comparable {
  case tls10 = "1.0"
  case tls11 = "1.1"
  case tls12 = "1.2"
  case tls13 = "1.3"

  var optionName: String { "tlsv\(rawValue)" }

  static func < (left: TLSVersionChoice, right: TLSVersionChoice) -> Bool { left.rawValue < right.rawValue }
}
