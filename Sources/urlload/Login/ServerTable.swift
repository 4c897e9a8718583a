import Foundation
import LoadingModel

/// Values by server, which is scheme, host and port: the value of one server is never that of another. Pure.
struct ServerTable<Value: Sendable>: Sendable {
  /// The values by the servers' names, such as "https://example.com:443".
  private(set) var values: [String: Value]

  init(_ values: [String: Value] = [:]) { self.values = values }

  /// The value for the server of `url`. That of a server without TLS holds for the same one with TLS as well, because HSTS upgrades loads.
  subscript(url: URL?) -> Value? { name(url).flatMap { values[$0] } }

  mutating func set(_ value: Value, for url: URL?) {
    if let name = ServerTable.names(url).first { values[name] = value }
  }

  /// Whether both URLs have the same value, or none.
  func isShared(_ url: URL?, _ other: URL?) -> Bool { name(url) == name(other) }

  func mapValues<Other>(_ transform: (Value) -> Other) -> ServerTable<Other> { ServerTable<Other>(values.mapValues(transform)) }

  private func name(_ url: URL?) -> String? { ServerTable.names(url).first { values[$0] != nil } }

  /// The names under which the value for the URL may be found, the server's own first; none if the URL has no host.
  private static func names(_ url: URL?) -> [String] {
    guard let url, let scheme = url.scheme?.lowercased(), let host = url.host()?.lowercased(), !host.isEmpty else { return [] }
    let port = url.port ?? Origin.defaultPort(scheme: scheme) ?? 0
    return ["\(scheme)://\(host):\(port)"] + (scheme == "https" && port == 443 ? ["http://\(host):80"] : [])
  }
}
