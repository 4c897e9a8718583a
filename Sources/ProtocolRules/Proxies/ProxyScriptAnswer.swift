import LoadingModel

/// Parses the result of a proxy script's `FindProxyForURL`: routes to try, such as “PROXY a:8080; SOCKS5 b:1080; DIRECT”.
package enum ProxyScriptAnswer {
  /// The most entries of a result that are read.
  private static let limit = 32

  /// The routes in the result's order. An empty result means a direct connection.
  ///
  /// - Throws: An error if no entry of a result is understood: the script asked for a proxy, so a direct connection would be wrong.
  package static func routes(_ answer: String, to origin: Origin) throws(LoadError) -> [Route] {
    let entries = answer.split(separator: ";").prefix(limit).map { $0.trimmingSpaces() }.filter { !$0.isEmpty }
    guard !entries.isEmpty else { return [.direct] }
    let routes = entries.compactMap { route(String($0), to: origin) }
    guard !routes.isEmpty else {
      var error = ProxySettings.unusable("the proxy script's answer names no proxy that can be understood; correct the script")
      error.proxy = ProxyFault(.scriptFailed)
      throw error
    }
    return routes
  }

  private static func route(_ entry: String, to origin: Origin) -> Route? {
    let words = entry.split(whereSeparator: \.isWhitespace).map(String.init)
    guard let kind = words.first?.uppercased() else { return nil }
    if kind == "DIRECT" { return .direct }
    guard words.count == 2, let scheme = schemes[kind],
      case .success(let proxy) = ProxyAddress.parse("\(scheme)://\(words[1])", named: "the proxy script")
    else { return nil }
    return Route(to: origin, through: proxy)
  }

  private static let schemes = [
    "PROXY": "http", "HTTP": "http", "HTTPS": "https", "SOCKS": "socks5h", "SOCKS5": "socks5h", "SOCKS4": "socks4a",
  ]
}
