import Foundation
import LoadingModel
import ProtocolRules
import Testing

/// The settings of desktops, in the forms in which those write them.
struct DesktopProxiesTests {
  private func way(_ settings: ProxySettings, _ url: String) throws -> String {
    switch try settings.choice(for: #require(Target(URL(string: url))).origin) {
    case .script(.url(let url)): "script \(url.absoluteString)"
    case .script(.source): "script"
    case .routes(let routes): routes.map { $0.proxy.map { "\($0.kind) \($0.place)" } ?? "direct" }.joined(separator: ", ")
    }
  }

  private func failure(_ settings: ProxySettings) throws -> LoadError {
    let origin = try #require(Target(URL(string: "http://a.test/"))).origin
    return try #require(throws: LoadError.self) { try settings.choice(for: origin) }
  }

  // MARK: which desktop

  @Test(arguments: [
    ("GNOME", true), ("ubuntu:GNOME", true), ("X-Cinnamon", true), ("MATE", true), ("Budgie:GNOME", true), ("XFCE", false), ("sway", false),
    ("", false),
  ])
  func desktopsAreKnownByName(_ name: String, _ isKnown: Bool) {
    let desktop = DesktopProxies(environment: { ["XDG_CURRENT_DESKTOP": name, "HOME": "/home/u"][$0] })
    #expect(desktop == (isKnown ? DesktopProxies(.gsettings) : nil))
  }

  @Test func kdeKeepsItsFileWithTheOthersOfTheUser() {
    let home = ["XDG_CURRENT_DESKTOP": "KDE", "HOME": "/home/u"]
    #expect(DesktopProxies(environment: { home[$0] }) == DesktopProxies(.kioslaverc(folder: "/home/u/.config")))
    let own = home.merging(["XDG_CONFIG_HOME": "/etc/u"]) { $1 }
    #expect(DesktopProxies(environment: { own[$0] }) == DesktopProxies(.kioslaverc(folder: "/etc/u")))
    #expect(DesktopProxies(environment: { _ in nil }) == nil)
  }

  // MARK: GNOME

  private func gnome(_ mode: String, _ lines: String = "") -> ProxySettings {
    ProxySettings(
      gsettings: """
        org.gnome.system.proxy autoconfig-url ''
        org.gnome.system.proxy ignore-hosts ['localhost', '10.0.0.0/8', "it's.test", '*.star.test']
        org.gnome.system.proxy mode '\(mode)'
        org.gnome.system.proxy use-same-proxy true
        org.gnome.system.proxy.ftp host ''
        org.gnome.system.proxy.ftp port 0
        org.gnome.system.proxy.http authentication-password "p'\\\\q"
        org.gnome.system.proxy.http authentication-user 'u'
        org.gnome.system.proxy.http enabled false
        org.gnome.system.proxy.http host 'h.test'
        org.gnome.system.proxy.http port 8080
        org.gnome.system.proxy.http use-authentication true
        org.gnome.system.proxy.https host 's.test'
        org.gnome.system.proxy.https port 0
        org.gnome.system.proxy.socks host 'k.test'
        org.gnome.system.proxy.socks port 1081
        \(lines)
        """)
  }

  @Test func gnomeNamesAProxyForEachKindOfURL() throws {
    let settings = gnome("manual")
    #expect(try way(settings, "http://a.test/") == "http h.test:8080")
    #expect(try way(settings, "wss://a.test/") == "http s.test:80")
    #expect(try way(settings, "ftp://a.test/") == "socks5h k.test:1081")
    for direct in ["http://localhost/", "http://127.0.0.1/", "http://10.1.2.3/", "http://x.star.test/"] {
      #expect(try way(settings, direct) == "direct", "\(direct)")
    }
    guard case .routes(let routes) = try settings.choice(for: Origin(scheme: "http", host: "a.test", port: 80)) else {
      Issue.record("no routes")
      return
    }
    #expect(routes.first?.proxy?.login == Proxy.Login(user: "u", password: "p'\\q"))
  }

  @Test func gnomeWithoutProxiesHasNone() throws {
    #expect(gnome("none").isEmpty)
    #expect(ProxySettings(gsettings: "").isEmpty)
    #expect(ProxySettings(gsettings: "No such schema\norg.gnome.system.proxy").isEmpty)
  }

  @Test func gnomeCanNameAScript() throws {
    let settings = gnome("auto", "org.gnome.system.proxy autoconfig-url 'http://w.test/p.pac'")
    #expect(try way(settings, "https://a.test/") == "script http://w.test/p.pac")
    #expect(try way(settings, "https://localhost/") == "direct")
    #expect(try way(gnome("auto", "org.gnome.system.proxy autoconfig-url '/etc/p.pac'"), "https://a.test/") == "script file:///etc/p.pac")
  }

  @Test func whatCannotBeUsedFailsAndDoesNotGoDirectly() throws {
    #expect(try failure(gnome("auto")).message.contains("automatic discovery"))
    #expect(try failure(gnome("auto", "org.gnome.system.proxy autoconfig-url 'gopher://x'")).message.contains("script"))
    #expect(try failure(gnome("manual", "org.gnome.system.proxy.http host 'a b'")).message.contains("http"))
    #expect(try failure(gnome("manual", "org.gnome.system.proxy.http port 70000")).message.contains("http"))
    #expect(try failure(.unreadableDesktop).message.contains("gsettings"))
  }

  // MARK: KDE

  private func kde(_ lines: String, environment: [String: String] = [:]) -> ProxySettings {
    ProxySettings(
      kioslaverc: "[Other]\nProxyType=1\nhttpProxy=http://wrong.test 1\n\n[Proxy Settings]\n\(lines)\n", environment: { environment[$0] })
  }

  @Test func kdeNamesProxiesWithASpaceOrAColon() throws {
    let settings = kde(
      """
      NoProxyFor=localhost,.dotted.test
      ProxyType=1
      ReversedException=false
      httpProxy=http://h.test 8080
      httpsProxy=http://s.test:8443
      ftpProxy=
      socksProxy=socks://k.test 1081
      """)
    #expect(try way(settings, "http://a.test/") == "http h.test:8080")
    #expect(try way(settings, "https://a.test/") == "http s.test:8443")
    #expect(try way(settings, "ftp://a.test/") == "socks5h k.test:1081")
    #expect(try way(settings, "http://x.dotted.test/") == "direct")
  }

  @Test func kdeListCanNameTheHostsThatUseTheProxy() throws {
    let settings = kde("NoProxyFor=only.test\nProxyType=1\nReversedException=true\nhttpProxy=h.test 1")
    #expect(try way(settings, "http://x.only.test/") == "http h.test:1")
    #expect(try way(settings, "http://a.test/") == "direct")
  }

  @Test func kdeCanNameScriptsAndVariables() throws {
    #expect(try way(kde("ProxyType=2\nProxy Config Script[$e]=http://w.test/p.pac"), "http://a.test/") == "script http://w.test/p.pac")
    let settings = kde(
      "ProxyType=4\nhttpProxy=MY_PROXY\nhttpsProxy=NOTHING\nNoProxyFor=MY_LIST",
      environment: ["MY_PROXY": "http://v.test:3128", "MY_LIST": "b.test"])
    #expect(try way(settings, "http://a.test/") == "http v.test:3128")
    #expect(try way(settings, "http://b.test/") == "direct")
    #expect(try way(settings, "https://a.test/") == "direct")
  }

  @Test func kdeWithoutProxiesHasNone() throws {
    #expect(kde("ProxyType=0\nhttpProxy=http://h.test 1").isEmpty)
    #expect(kde("").isEmpty)
    #expect(try failure(kde("ProxyType=3")).message.contains("automatic discovery"))
    #expect(try failure(kde("ProxyType=1\nhttpProxy=http://a b c")).message.contains("httpProxy"))
  }
}
