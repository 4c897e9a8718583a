import Foundation
import Testing
import URLLoadingSystem

struct SystemProxiesTests {
  private func proxies(_ url: String, _ settings: [String: Any]) throws -> [[String: Any]] {
    let url = try #require(URL(string: url))
    let list = CFNetworkCopyProxiesForURL(url as CFURL, settings as CFDictionary).takeRetainedValue()
    return try #require(list as? [[String: Any]])
  }

  private func summary(_ entries: [[String: Any]]) -> [String] {
    entries.map { entry in
      [entry[kCFProxyTypeKey], entry[kCFProxyHostNameKey], entry[kCFProxyPortNumberKey]].compactMap { $0.map { "\($0)" } }
        .joined(separator: " ")
    }
  }

  @Test func entryOfEachKindIsForItsURLs() throws {
    let settings: [String: Any] = [
      kCFNetworkProxiesHTTPEnable: 1, kCFNetworkProxiesHTTPProxy: "plain", kCFNetworkProxiesHTTPPort: 81,
      kCFNetworkProxiesHTTPSEnable: 1, kCFNetworkProxiesHTTPSProxy: "secure", kCFNetworkProxiesHTTPSPort: 82,
      kCFNetworkProxiesExceptionsList: ["direct.example"],
    ]
    #expect(summary(try proxies("http://a.example/", settings)) == ["kCFProxyTypeHTTP plain 81"])
    #expect(summary(try proxies("https://a.example/", settings)) == ["kCFProxyTypeHTTPS secure 82"])
    #expect(summary(try proxies("https://direct.example/", settings)) == ["kCFProxyTypeNone"])
    #expect(summary(try proxies("data:,x", settings)) == ["kCFProxyTypeNone"])
    #expect(summary(try proxies("http://a.example/", [:])) == ["kCFProxyTypeNone"])
  }

  @Test func SOCKSIsForEverythingElse() throws {
    let settings: [String: Any] = [kCFNetworkProxiesSOCKSEnable: 1, kCFNetworkProxiesSOCKSProxy: "socks"]
    #expect(summary(try proxies("https://a.example/", settings)) == ["kCFProxyTypeSOCKS socks 1080"])
  }

  @Test func scriptIsNamedForTheCallerToAsk() throws {
    let settings: [String: Any] = [
      kCFNetworkProxiesProxyAutoConfigEnable: 1, kCFNetworkProxiesProxyAutoConfigURLString: "http://pac.example/x.pac",
    ]
    let entry = try #require(try proxies("https://a.example/", settings).first)
    #expect(entry[kCFProxyTypeKey] as? String == kCFProxyTypeAutoConfigurationURL)
    #expect((entry[kCFProxyAutoConfigurationURLKey] as? NSURL)?.absoluteString == "http://pac.example/x.pac")
  }

  @Test func settingsThatCannotBeUsedNameNoWay() throws {
    #expect(try proxies("http://a.example/", [kCFNetworkProxiesHTTPEnable: 1]).isEmpty)
  }

  @Test func settingsOfTheSystemAreADictionary() throws {
    let settings = try #require(CFNetworkCopySystemProxySettings()?.takeRetainedValue())
    #expect(settings as? [String: Any] != nil)
  }
}
