import Foundation
import Testing
import URLLoadingSystem

struct ProxyConfigurationTests {
  private let endpoint = NWEndpoint.hostPort(host: "proxy.test", port: 8080)

  @Test func filtersAreEmptyAtFirst() {
    let proxy = ProxyConfiguration(httpCONNECTProxy: endpoint)
    #expect(!proxy.allowFailover)
    #expect(proxy.matchDomains.isEmpty)
    #expect(proxy.excludedDomains.isEmpty)
  }

  @Test func configurationsCompareByWhatTheyHold() {
    var first = ProxyConfiguration(socksv5Proxy: endpoint)
    let second = first
    #expect(first == second)
    first.applyCredential(username: "user", password: "secret")
    #expect(first != second)
    #expect(first != ProxyConfiguration(httpCONNECTProxy: endpoint))
  }

  @Test func printingAndDumpingShowNoSecret() {
    var proxy = ProxyConfiguration(
      relayHops: [.init(http2RelayEndpoint: endpoint, additionalHTTPHeaderFields: ["Authorization": "Bearer secret"])])
    proxy.applyCredential(username: "user", password: "secret")
    var dumped = ""
    dump(proxy, to: &dumped)
    #expect(!dumped.contains("secret"))
    #expect(!"\(proxy)".contains("secret"))
    #expect(!String(reflecting: proxy).contains("secret"))
  }

  @Test func portsRejectWhatIsNoPort() {
    #expect(NWEndpoint.Port("65536") == nil)
    #expect(NWEndpoint.Port("x") == nil)
    #expect(NWEndpoint.Port("443") == .https)
  }

  @Test func bracketsOfAnAddressAreDropped() {
    #expect(NWEndpoint.Host("[::1]") == NWEndpoint.Host("::1"))
  }

  @Test func proxyKeysHaveTheirLiteralTexts() {
    #expect(kCFNetworkProxiesHTTPSProxy == "HTTPSProxy")
    #expect(kCFNetworkProxiesSOCKSPort == "SOCKSPort")
    #expect(kCFProxyTypeSOCKS == "kCFProxyTypeSOCKS")
    #expect(kCFStreamPropertySOCKSProxyHost == kCFNetworkProxiesSOCKSProxy)
    #expect(kCFStreamPropertySOCKSProxyPort == kCFNetworkProxiesSOCKSPort)
    #expect(kCFStreamPropertySOCKSUser == StreamSOCKSProxyConfiguration.userKey.rawValue)
    #expect(kCFStreamPropertySOCKSPassword == StreamSOCKSProxyConfiguration.passwordKey.rawValue)
    #expect(kCFStreamPropertySOCKSVersion == StreamSOCKSProxyConfiguration.versionKey.rawValue)
    #expect(kCFStreamSocketSOCKSVersion5 == StreamSOCKSProxyVersion.version5.rawValue)
    #expect(kCFStreamPropertySOCKSProxy == Stream.PropertyKey.socksProxyConfigurationKey.rawValue)
  }
}
