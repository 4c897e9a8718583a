import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

struct URLSessionConfigurationTests {
  @Test func defaultHasApplesValues() {
    let configuration = URLSessionConfiguration.default
    #expect(configuration.identifier == nil)
    #expect(configuration.requestCachePolicy == .useProtocolCachePolicy)
    #expect(configuration.timeoutIntervalForRequest == 60)
    #expect(configuration.timeoutIntervalForResource == 604_800)
    #expect(configuration.networkServiceType == .default)
    #expect(configuration.allowsCellularAccess)
    #expect(configuration.allowsExpensiveNetworkAccess)
    #expect(configuration.allowsConstrainedNetworkAccess)
    #expect(!configuration.allowsUltraConstrainedNetworkAccess)
    #expect(!configuration.requiresDNSSECValidation)
    #expect(!configuration.waitsForConnectivity)
    #expect(!configuration.isDiscretionary)
    #expect(configuration.sharedContainerIdentifier == nil)
    #expect(configuration.sessionSendsLaunchEvents)
    #expect(configuration.connectionProxyDictionary == nil)
    #expect(configuration.proxyConfigurations.isEmpty)
    #expect(configuration.tlsMinimumSupportedProtocolVersion == .TLSv12)
    #expect(configuration.tlsMaximumSupportedProtocolVersion == .TLSv13)
    #expect(configuration.httpShouldSetCookies)
    #expect(configuration.httpCookieAcceptPolicy == .onlyFromMainDocumentDomain)
    #expect(configuration.httpAdditionalHeaders == nil)
    #expect(configuration.httpMaximumConnectionsPerHost == 6)
    #expect(configuration.multipathServiceType == .none)
    #expect(configuration.usesClassicLoadingMode)
    #expect(!configuration.enablesEarlyData)
    #expect(configuration.protocolClasses?.count == BuiltInProtocols.classes.count)
    #expect(configuration.loadClock == nil)
    #expect(configuration.trustedRootsPEM.isEmpty)
  }

  @Test func defaultUsesTheSharedStorages() {
    let configuration = URLSessionConfiguration.default
    #expect(configuration.httpCookieStorage === HTTPCookieStorage.shared)
    #expect(configuration.urlCredentialStorage === URLCredentialStorage.shared)
    #expect(configuration.urlCache === URLCache.shared)
  }

  /// Reads the configuration that it was a part of when it is released.
  private final class LeavingCache: URLCache, @unchecked Sendable {
    // @unchecked: `configuration` is set before the cache is shared.
    weak var configuration: URLSessionConfiguration?
    deinit { _ = configuration?.urlCache }
  }

  @Test func objectThatIsReplacedMayReadTheConfiguration() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = LeavingCache(memoryCapacity: 0, diskCapacity: 0, directory: nil)
    (configuration.urlCache as? LeavingCache)?.configuration = configuration
    #expect(configuration.urlCache is LeavingCache)
    configuration.urlCache = nil
    #expect(configuration.urlCache == nil)
  }

  @Test func ephemeralHasStoragesOfItsOwn() throws {
    let first = URLSessionConfiguration.ephemeral
    let second = URLSessionConfiguration.ephemeral
    let cookies = try #require(first.httpCookieStorage)
    #expect(cookies !== HTTPCookieStorage.shared)
    #expect(cookies !== second.httpCookieStorage)
    let credentials = try #require(first.urlCredentialStorage)
    #expect(credentials !== URLCredentialStorage.shared)
    let cache = try #require(first.urlCache)
    #expect(cache !== URLCache.shared)
    #expect(cache.diskCapacity == 0)
    #expect(cache.memoryCapacity > 0)
  }

  @Test func backgroundHasItsIdentifierAndNoCache() {
    let configuration = URLSessionConfiguration.background(withIdentifier: "transfers")
    #expect(configuration.identifier == "transfers")
    #expect(configuration.urlCache == nil)
    #expect(configuration.httpCookieStorage === HTTPCookieStorage.shared)
  }

  @Test func everyAccessMakesANewObject() {
    let first = URLSessionConfiguration.default
    first.timeoutIntervalForRequest = 5
    #expect(URLSessionConfiguration.default.timeoutIntervalForRequest == 60)
    #expect(URLSessionConfiguration.default !== first)
  }

  @Test func copyIsIndependentAndSharesTheStorages() throws {
    let original = URLSessionConfiguration.ephemeral
    original.httpAdditionalHeaders = ["X-Name": "one"]
    original.trustedRootsPEM = [Data("root".utf8)]
    let copy = try #require(original.copy() as? URLSessionConfiguration)
    original.httpAdditionalHeaders?["X-Name"] = "two"
    original.waitsForConnectivity = true
    #expect(copy !== original)
    #expect(copy.httpAdditionalHeaders?["X-Name"] as? String == "one")
    #expect(!copy.waitsForConnectivity)
    #expect(copy.trustedRootsPEM == [Data("root".utf8)])
    #expect(copy.httpCookieStorage === original.httpCookieStorage)
    #expect(copy.urlCache === original.urlCache)
  }

  @Test func snapshotKeepsEverySetting() {
    let original = URLSessionConfiguration.background(withIdentifier: "a")
    original.requestCachePolicy = .returnCacheDataDontLoad
    original.timeoutIntervalForResource = 1.5
    original.networkServiceType = .video
    original.connectionProxyDictionary = [kCFNetworkProxiesHTTPEnable: 1]
    original.proxyConfigurations = [ProxyConfiguration(socksv5Proxy: .hostPort(host: "proxy.test", port: 1080))]
    original.httpCookieStorage = nil
    original.urlCredentialStorage = nil
    original.protocolClasses = nil
    original.multipathServiceType = .handover
    original.enablesEarlyData = true
    let snapshot = original.snapshot()
    #expect(snapshot.identifier == "a")
    #expect(snapshot.requestCachePolicy == .returnCacheDataDontLoad)
    #expect(snapshot.timeoutIntervalForResource == 1.5)
    #expect(snapshot.networkServiceType == .video)
    #expect(snapshot.connectionProxyDictionary?["HTTPEnable"] as? Int == 1)
    #expect(snapshot.proxyConfigurations == original.proxyConfigurations)
    #expect(snapshot.httpCookieStorage == nil)
    #expect(snapshot.urlCredentialStorage == nil)
    #expect(snapshot.protocolClasses == nil)
    #expect(snapshot.multipathServiceType == .handover)
    #expect(snapshot.enablesEarlyData)
  }

  @Test func concurrentUseKeepsEveryWrite() async {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.trustedRootsPEM = []
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<64 {
        group.addTask {
          configuration.httpMaximumConnectionsPerHost = index
          configuration.httpAdditionalHeaders = ["X-Index": "\(index)"]
          _ = configuration.snapshot().httpAdditionalHeaders
        }
      }
    }
    #expect((0..<64).contains(configuration.httpMaximumConnectionsPerHost))
    #expect(configuration.httpAdditionalHeaders?.count == 1)
  }

  @available(*, deprecated)
  @Test func deprecatedTLSPropertiesSpeakOfTheSameVersions() {
    let configuration = URLSessionConfiguration()
    #expect(configuration.urlCache === URLCache.shared)
    #expect(configuration.tlsMinimumSupportedProtocol == .tlsProtocol12)
    configuration.tlsMinimumSupportedProtocol = .tlsProtocol13
    #expect(configuration.tlsMinimumSupportedProtocolVersion == .TLSv13)
    configuration.tlsMaximumSupportedProtocol = .sslProtocolAll
    #expect(configuration.tlsMaximumSupportedProtocolVersion == .TLSv13)
    configuration.tlsMinimumSupportedProtocol = .sslProtocolAll
    #expect(configuration.tlsMinimumSupportedProtocolVersion == .TLSv10)
  }
}
