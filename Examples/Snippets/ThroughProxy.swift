import Foundation
import URLLoadingSystem

/// Loads a URL through an HTTP proxy: `http` URLs are forwarded, `https` URLs use a tunnel.
public func load(_ url: URL, throughProxy host: String, port: Int) async throws -> Data {
  let configuration = URLSessionConfiguration.default
  configuration.connectionProxyDictionary = [
    kCFNetworkProxiesHTTPEnable: 1, kCFNetworkProxiesHTTPProxy: host, kCFNetworkProxiesHTTPPort: port,
    kCFNetworkProxiesHTTPSEnable: 1, kCFNetworkProxiesHTTPSProxy: host, kCFNetworkProxiesHTTPSPort: port,
    kCFNetworkProxiesExceptionsList: ["*.local", "10.0.0.0/8"],
  ]
  let session = URLSession(configuration: configuration)
  defer { session.finishTasksAndInvalidate() }
  return try await session.data(from: url).0
}
