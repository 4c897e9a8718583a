import Foundation
import LoadingModel

/// The parts of a URL that decide which cookies it gets and may set.
package struct CookieURL: Sendable {
  /// The host in lower case.
  package let host: String
  package let port: Int
  /// The path, percent-encoded as it is sent; never empty.
  package let path: Substring
  package let isSecure: Bool

  /// nil if the URL has no host.
  package init?(_ url: URL?) {
    guard let url else { return nil }
    let scheme = url.scheme?.lowercased() ?? ""
    if UnixSocketHost.isScheme(scheme) {
      guard let target = Target(url) else { return nil }
      self.init(target)
      return
    }
    guard let host = url.host?.lowercased(), !host.isEmpty else { return nil }
    let isSecure = scheme == "https" || scheme == "wss"
    let path = url.path(percentEncoded: true)
    self.init(host: host, port: url.port ?? (isSecure ? 443 : 80), path: path.isEmpty ? "/" : path[...], isSecure: isSecure)
  }

  private init(host: String, port: Int, path: Substring, isSecure: Bool) {
    self.host = host
    self.port = port
    self.path = path
    self.isSecure = isSecure
  }

  /// Takes the parts of a URL that has been parsed already; shares its strings without a copy.
  package init(_ target: Target) {
    host = target.origin.host
    port = target.origin.port
    isSecure = target.origin.isSecure
    let resource = target.pathAndQuery
    path = resource[..<(resource.utf8.firstIndex(of: UInt8(ascii: "?")) ?? resource.endIndex)]
  }
}
