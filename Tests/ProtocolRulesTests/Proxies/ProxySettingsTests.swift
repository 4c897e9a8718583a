import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct ProxySettingsTests {
  private func origin(_ text: String) throws -> Origin { try #require(Target(URL(string: text))).origin }

  /// The route to `url`, in short: "direct", "forward proxy:1", "tunnel socks5h proxy:2".
  private func way(_ settings: ProxySettings, _ url: String) throws -> String {
    switch try settings.choice(for: origin(url)) {
    case .script: return "script"
    case .routes(let routes): return routes.map(describe).joined(separator: ", ")
    }
  }

  private func describe(_ route: Route) -> String {
    switch route {
    case .direct: "direct"
    case .forward(let proxy): "forward \(proxy.kind) \(proxy.place)"
    case .tunnel(let proxy): "tunnel \(proxy.kind) \(proxy.place)"
    }
  }

  // MARK: the dictionary

  @Test func emptyDictionaryMeansNoProxy() throws {
    let settings = ProxySettings(dictionary: [:])
    #expect(settings.isEmpty)
    #expect(try way(settings, "https://a.example/") == "direct")
  }

  @Test func dictionaryHasAProxyForEachKindOfURL() throws {
    let settings = ProxySettings(dictionary: [
      "HTTPEnable": .number(1), "HTTPProxy": .text("h.example"), "HTTPPort": .number(8080),
      "HTTPSEnable": .number(1), "HTTPSProxy": .text("s.example"), "HTTPSPort": .text("8443"),
      "FTPEnable": .number(1), "FTPProxy": .text("[::1]"), "FTPPort": .number(21),
    ])
    #expect(try way(settings, "http://a.example/") == "forward http h.example:8080")
    #expect(try way(settings, "https://a.example/") == "tunnel http s.example:8443")
    #expect(try way(settings, "ws://a.example/") == "tunnel http h.example:8080")
    #expect(try way(settings, "wss://a.example/") == "tunnel http s.example:8443")
    #expect(try way(settings, "ftp://a.example/") == "forward http [::1]:21")
  }

  @Test func socksIsForWhatHasNoProxyOfItsOwn() throws {
    let settings = ProxySettings(dictionary: [
      "HTTPSEnable": .number(1), "HTTPSProxy": .text("s.example"), "HTTPSPort": .number(3128),
      "SOCKSEnable": .number(1), "SOCKSProxy": .text("k.example"),
    ])
    #expect(try way(settings, "http://a.example/") == "tunnel socks5h k.example:1080")
    #expect(try way(settings, "https://a.example/") == "tunnel http s.example:3128")
  }

  @Test func whatIsNotEnabledIsNotUsed() throws {
    let settings = ProxySettings(dictionary: ["HTTPProxy": .text("h.example"), "HTTPPort": .number(80), "HTTPSEnable": .number(0)])
    #expect(settings.isEmpty)
  }

  @Test func exceptionsAreReachedDirectly() throws {
    let settings = ProxySettings(dictionary: [
      "HTTPEnable": .number(1), "HTTPProxy": .text("h.example"), "ExcludeSimpleHostnames": .number(1),
      "ExceptionsList": .list(["*.local", "169.254/16", "exact.example", "10.0.0.0/8", "w*.glob.example", "port.example:81"]),
    ])
    let through = "forward http h.example:80"
    for url in [
      "http://printer.local/", "http://169.254.3.4/", "http://exact.example/", "http://10.1.2.3/", "http://intranet/",
      "http://www.glob.example/", "http://port.example:81/", "http://EXACT.example./",
    ] {
      #expect(try way(settings, url) == "direct", "\(url)")
    }
    for url in [
      "http://local/".replacing("local", with: "x.locals"), "http://169.255.3.4/", "http://sub.exact.example/", "http://11.1.2.3/",
      "http://glob.example/", "http://port.example/", "http://127.0.0.1/", "http://a.localhost/",
    ] {
      #expect(try way(settings, url) == through, "\(url)")
    }
  }

  @Test(
    arguments: [
      (["HTTPEnable": .number(1)], "HTTPProxy"),
      (["HTTPEnable": .number(1), "HTTPProxy": .text("http://h.example:80")], "HTTPProxy"),
      (["HTTPEnable": .number(1), "HTTPProxy": .text("h.example"), "HTTPPort": .number(70_000)], "HTTPPort"),
      (["HTTPEnable": .number(1), "HTTPProxy": .text("h.example"), "HTTPPort": .list([])], "HTTPPort"),
      (["SOCKSEnable": .number(1), "SOCKSProxy": .number(7)], "SOCKSProxy"),
      (["ProxyAutoConfigEnable": .number(1)], "ProxyAutoConfigURLString"),
      (["ProxyAutoConfigEnable": .number(1), "ProxyAutoConfigURLString": .text("file:///x.pac")], "file"),
      (["ProxyAutoDiscoveryEnable": .number(1)], "ProxyAutoDiscoveryEnable"),
    ] as [([String: ProxySettings.Value], String)])
  func badValuesFailTheLoadRatherThanGoDirectly(_ dictionary: [String: ProxySettings.Value], _ named: String) throws {
    let settings = ProxySettings(dictionary: dictionary)
    let target = try origin("http://a.example/")
    let error = try #require(throws: LoadError.self) { try settings.choice(for: target) }
    #expect(error.kind == .cannotConnectToHost)
    #expect(error.message.contains(named))
  }

  @Test func whatIsBrokenForOneKindOfURLIsNotForAnother() throws {
    let settings = ProxySettings(dictionary: [
      "HTTPEnable": .number(1), "HTTPSEnable": .number(1), "HTTPSProxy": .text("s.example"), "HTTPSPort": .number(1),
    ])
    #expect(try way(settings, "https://a.example/") == "tunnel http s.example:1")
  }

  @Test func loginsOfTheDictionaryGoWithTheProxy() throws {
    let settings = ProxySettings(dictionary: [
      "HTTPSEnable": .number(1), "HTTPSProxy": .text("s.example"), "kCFProxyUsernameKey": .text("u"), "kCFProxyPasswordKey": .text("p"),
      "SOCKSEnable": .number(1), "SOCKSProxy": .text("k.example"), "kCFStreamPropertySOCKSUser": .text("su"),
      "kCFStreamPropertySOCKSVersion": .text("kCFStreamSocketSOCKSVersion4"),
    ])
    guard case .routes(let secure) = try settings.choice(for: origin("https://a.example/")),
      case .routes(let plain) = try settings.choice(for: origin("http://a.example/"))
    else {
      Issue.record("no routes")
      return
    }
    #expect(secure.first?.proxy?.login == Proxy.Login(user: "u", password: "p"))
    #expect(plain.first?.proxy?.login == Proxy.Login(user: "su", password: ""))
    #expect(plain.first?.proxy?.kind == .socks4a)
    #expect("\(secure)".contains("p\"") == false)
  }

  @Test func scriptStandsAboveProxiesButNotForFTP() throws {
    let settings = ProxySettings(dictionary: [
      "ProxyAutoConfigEnable": .number(1), "ProxyAutoConfigJavaScript": .text("x"), "HTTPEnable": .number(1),
      "HTTPProxy": .text("h.example"), "FTPEnable": .number(1), "FTPProxy": .text("f.example"),
    ])
    #expect(try way(settings, "http://a.example/") == "script")
    #expect(try way(settings, "ftp://a.example/") == "forward http f.example:80")
  }

  // MARK: the environment

  private func environment(_ values: [String: String]) -> ProxySettings { ProxySettings(environment: { values[$0] }) }

  @Test func environmentNamesProxiesByScheme() throws {
    let settings = environment([
      "http_proxy": "http://p1.example:3128/", "HTTPS_PROXY": "p2.example:8080", "all_proxy": "socks5h://u%40x:p@p3.example",
    ])
    #expect(try way(settings, "http://a.example/") == "forward http p1.example:3128")
    #expect(try way(settings, "https://a.example/") == "tunnel http p2.example:8080")
    #expect(try way(settings, "ftp://a.example/") == "tunnel socks5h p3.example:1080")
    guard case .routes(let routes) = try settings.choice(for: origin("ftp://a.example/")) else {
      Issue.record("no route")
      return
    }
    #expect(routes.first?.proxy?.login == Proxy.Login(user: "u@x", password: "p"))
  }

  @Test func upperCaseHTTPProxyIsNotBelieved() {
    #expect(environment(["HTTP_PROXY": "http://evil.example"]).isEmpty)
    #expect(environment(["http_proxy": " "]).isEmpty)
  }

  @Test func lowerCaseComesFirst() throws {
    let settings = environment(["https_proxy": "a.example:1", "HTTPS_PROXY": "b.example:2"])
    #expect(try way(settings, "https://x.example/") == "tunnel http a.example:1")
  }

  @Test(arguments: [
    ("socks4://p.example", "tunnel socks4 p.example:1080"), ("socks4a://p.example", "tunnel socks4a p.example:1080"),
    ("socks5://p.example:9", "tunnel socks5 p.example:9"), ("socks://p.example", "tunnel socks5h p.example:1080"),
    ("https://p.example", "tunnel https p.example:443"), ("http://[::1]:8080", "tunnel http [::1]:8080"),
    ("http://P.Example", "tunnel http p.example:80"),
  ])
  func proxiesAreWrittenAsURLs(_ text: String, _ expected: String) throws {
    #expect(try way(environment(["https_proxy": text]), "https://a.example/") == expected)
  }

  @Test(arguments: ["gopher://p.example", "p.example:port", "http://:80", "p.example:0", "http://u%:p@p.example", "a b", "[::1"])
  func unreadableProxiesAreErrorsWithoutTheirPasswords(_ text: String) throws {
    let settings = environment(["https_proxy": text])
    let target = try origin("https://a.example/")
    let error = try #require(throws: LoadError.self) { try settings.choice(for: target) }
    #expect(error.message.contains("https_proxy"))
    #expect(!error.message.contains("u%"))
  }

  @Test func noProxyKnowsDomainsNetworksAndPorts() throws {
    let settings = environment([
      "http_proxy": "p.example:1",
      "no_proxy": "internal.example, .dotted.example *.star.example 10.0.0.0/8,[fd00::]/8,192.168.1.7,ported.example:8080",
    ])
    for url in [
      "http://internal.example/", "http://a.b.internal.example/", "http://dotted.example/", "http://a.dotted.example/",
      "http://a.star.example/", "http://10.200.0.1/", "http://[fd12::1]/", "http://192.168.1.7/", "http://ported.example:8080/",
    ] {
      #expect(try way(settings, url) == "direct", "\(url)")
    }
    for url in ["http://notinternal.example/", "http://11.0.0.1/", "http://ported.example/", "http://[fe00::1]/", "http://10.example/"] {
      #expect(try way(settings, url) == "forward http p.example:1", "\(url)")
    }
    #expect(try way(environment(["http_proxy": "p.example:1", "no_proxy": "*"]), "http://x.example/") == "direct")
  }

  @Test func environmentDoesNotSendThisMachineThroughTheProxy() throws {
    let settings = environment(["all_proxy": "p.example:1"])
    for url in [
      "http://localhost/", "http://a.localhost/", "http://127.0.0.2:80/", "http://[::1]/", "http://169.254.1.1/", "http://x.local/",
    ] {
      #expect(try way(settings, url) == "direct", "\(url)")
    }
  }

  // MARK: lists

  @Test func entriesAreTriedInOrderAsFarAsTheyAllowIt() throws {
    var settings = ProxySettings()
    func entry(_ host: String, failover: Bool) -> ProxySettings.Entry {
      var entry = ProxySettings.Entry(Set(ProxySettings.Family.allCases), .success(Proxy(.http, host: host, port: 1)))
      entry.tunnelsEverything = true
      entry.allowsFailover = failover
      return entry
    }
    settings.entries = [entry("a", failover: true), entry("b", failover: false), entry("c", failover: true)]
    #expect(try way(settings, "http://x.example/") == "tunnel http a:1, tunnel http b:1")
    settings.entries = [entry("a", failover: true)]
    #expect(try way(settings, "http://x.example/") == "tunnel http a:1, direct")
  }

  @Test func excludedDomainsWinOverMatchingOnes() throws {
    var settings = ProxySettings()
    var entry = ProxySettings.Entry(Set(ProxySettings.Family.allCases), .success(Proxy(.socks5h, host: "a", port: 1)))
    entry.domains = [HostPattern(domain: "example.com")]
    entry.excluded = [HostPattern(domain: ".not.example.com")]
    settings.entries = [entry]
    #expect(try way(settings, "http://example.com/") == "tunnel socks5h a:1")
    #expect(try way(settings, "http://a.example.com/") == "tunnel socks5h a:1")
    #expect(try way(settings, "http://a.not.example.com/") == "direct")
    #expect(try way(settings, "http://other.com/") == "direct")
  }
}
