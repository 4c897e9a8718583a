import LoadingModel
import Testing

@testable import ProtocolRules

/// The system's settings as a dictionary: what is read from it again is what it was made of.
struct SystemProxySettingsTests {
  private func environment(_ variables: [String: String]) -> [String: ProxySettings.Value] {
    ProxySettings(environment: { variables[$0] }).systemDictionary
  }

  private func route(_ values: [String: ProxySettings.Value], _ scheme: String, _ host: String) throws -> [Route] {
    let choice = try ProxySettings(dictionary: values).choice(for: Origin(scheme: scheme, host: host, port: 443))
    guard case .routes(let routes) = choice else { return [] }
    return routes
  }

  @Test func environmentsProxiesComeBack() throws {
    let values = environment([
      "http_proxy": "http://plain:81", "all_proxy": "socks5h://socks:1081", "no_proxy": "a.example, 10.0.0.0/8, 192.0.2.1",
    ])
    #expect(try route(values, "http", "x.example").first?.proxy?.place == "plain:81")
    #expect(try route(values, "https", "x.example").first?.proxy?.place == "socks:1081")
    for host in ["a.example", "b.a.example", "10.1.2.3", "192.0.2.1", "localhost", "x.local", "127.0.0.1", "::1", "fe80::1"] {
      #expect(try route(values, "http", host).first?.isDirect == true, "\(host)")
    }
  }

  @Test func HTTPProxyForEverythingIsThatOfEachKind() throws {
    let values = environment(["all_proxy": "http://all:81", "https_proxy": "http://secure:82"])
    #expect(try route(values, "http", "x.example").first?.proxy?.place == "all:81")
    #expect(try route(values, "https", "x.example").first?.proxy?.place == "secure:82")
  }

  @Test func loginsAreLeftOut() {
    let values = environment(["http_proxy": "http://user:password@plain:81"])
    for value in values.values {
      if case .text(let text) = value { #expect(!text.contains("password")) }
    }
  }

  @Test func withoutProxiesItIsEmpty() {
    #expect(environment([:]).isEmpty)
  }

  @Test func scriptAndDiscoveryAreNamed() {
    let script = ProxySettings(gsettings: "org.gnome.system.proxy mode 'auto'\norg.gnome.system.proxy autoconfig-url 'http://pac/x'")
    guard case .text("http://pac/x")? = script.systemDictionary["ProxyAutoConfigURLString"] else {
      Issue.record("the script's URL is missing")
      return
    }
    let discovery = ProxySettings(gsettings: "org.gnome.system.proxy mode 'auto'\norg.gnome.system.proxy autoconfig-url ''")
    guard case .number(1)? = discovery.systemDictionary["ProxyAutoDiscoveryEnable"] else {
      Issue.record("discovery isn't asked for")
      return
    }
  }
}
