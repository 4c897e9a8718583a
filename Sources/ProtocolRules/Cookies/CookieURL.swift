import Foundation
import LoadingModel

/// The parts of a URL that decide about cookies.
package struct CookieURL: Sendable {
  /// Lower case.
  package let host: String
  package let port: Int
  /// Percent-encoded, as it is sent; never empty.
  package let path: Substring
  package let isSecure: Bool

  /// nil if the URL has no host.
  package init?(_ url: URL?) {
    guard let url, let host = url.host?.lowercased(), !host.isEmpty else { return nil }
    self.host = host
    let scheme = url.scheme?.lowercased() ?? ""
    isSecure = scheme == "https" || scheme == "wss"
    port = url.port ?? (isSecure ? 443 : 80)
    let path = url.path(percentEncoded: true)
    self.path = path.isEmpty ? "/" : path[...]
  }

  /// Of a URL that has been taken apart already: no copy is made.
  package init(_ target: Target) {
    host = target.origin.host
    port = target.origin.port
    isSecure = target.origin.isSecure
    let resource = target.pathAndQuery
    path = resource[..<(resource.utf8.firstIndex(of: UInt8(ascii: "?")) ?? resource.endIndex)]
  }
}
