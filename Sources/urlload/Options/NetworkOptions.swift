import ArgumentParser
import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

/// The route to servers, and the version of HTTP, as given on the command line.
struct NetworkOptions: ParsableArguments {
  @Option(
    name: [.customShort("x"), .long], parsing: .unconditional,
    help: ArgumentHelp(
      "The proxy for all URLs, instead of the environment's: http://, https://, socks4://, socks4a://, socks5:// or socks5h://, with "
        + "user:password@ before the host where it wants a login. Empty: none.", valueName: "url"))
  var proxy: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Hosts that are reached without a proxy, instead of the environment's no_proxy: a.example,10.0.0.0/8, or *.", valueName: "list"))
  var noproxy: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A SOCKS 5 proxy for all URLs; names are looked up here. Default port: 1080.", valueName: "host:port"))
  var socks5: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Addresses of a host, which may be *, for a port. Repeatable: the first for a place counts.", valueName: "host:port:address,..."))
  var resolve: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Connect to the second place where a URL names the first. Empty parts mean any, or no change. Repeatable.",
      valueName: "host1:port1:host2:port2"))
  var connectTo: [String] = []

  @Option(help: ArgumentHelp("Connect to this Unix socket, whatever the URL names.", valueName: "path"))
  var unixSocket: String?

  @Option(help: ArgumentHelp("Connect to this abstract Unix socket, whatever the URL names.", valueName: "name"))
  var abstractUnixSocket: String?

  @Option(help: ArgumentHelp("Look names up by DNS over HTTPS (RFC 8484).", valueName: "url"))
  var dohURL: String?

  /// nil: whatever client and server both have.
  @Flag(exclusivity: .chooseLast)
  var version: HTTPVersionChoice?

  @Flag(
    name: .customLong("tls-earlydata"),
    help: "Send safe requests with the first packets of a resumed HTTP/3 connection, where they could be replayed by an attacker.")
  var sendsEarlyData = false

  mutating func validate() throws {
    if proxy != nil, socks5 != nil { throw ValidationError("--proxy and --socks5 both name the proxy; leave one of the two out.") }
    if socks5?.contains("://") == true { throw ValidationError("--socks5 takes host:port; --proxy takes URLs.") }
    if unixSocket != nil, abstractUnixSocket != nil {
      throw ValidationError("--unix-socket and --abstract-unix-socket both name the socket; leave one of the two out.")
    }
    do throws(NamePlaces.Failure) { _ = try NamePlaces(self) } catch { throw ValidationError(error.message) }
    #if !HTTP3
      if version == .http3 || version == .http3Only || sendsEarlyData {
        throw ValidationError("This urlload was built without HTTP/3; build it with the package's trait: swift build --traits HTTP3.")
      }
    #endif
    if case .failure(let error) = chosen { throw ValidationError("\(error.message).") }
  }

  /// The versions that the session may use.
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

  /// What the command line says about proxies; nil to leave it to the environment.
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

  private var isDirect: Bool { proxy?.isEmpty == true }

  private var chosen: Result<Proxy, LoadError>? {
    if isDirect { return nil }
    if let socks5 { return ProxyAddress.parse("socks5://\(socks5)", named: "--socks5") }
    return proxy.map { ProxyAddress.parse($0, named: "--proxy") }
  }
}

/// The versions of HTTP that are used, where the command line says.
enum HTTPVersionChoice: String, EnumerableFlag {
  case http1 = "http1.1"
  case http2
  case http3
  case http3Only = "http3-only"

  static func name(for value: HTTPVersionChoice) -> NameSpecification { .customLong(value.rawValue) }

  static func help(for value: HTTPVersionChoice) -> ArgumentHelp? {
    switch value {
    case .http1: "Speak HTTP/1.1 only."
    case .http2: "Speak HTTP/2 with servers that choose it in the TLS handshake, else HTTP/1.1; never HTTP/3."
    case .http3: "Try HTTP/3 with every server, beside the older versions: the first to be ready is used."
    case .http3Only: "Speak HTTP/3 only."
    }
  }
}
