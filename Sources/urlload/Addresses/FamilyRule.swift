import Foundation
import LoadingModel
import ProtocolRules

/// `-4` and `-6` for URLs whose host is an address: no resolver is asked for that. Pure.
struct FamilyRule: Sendable {
  let family: AddressFamily
  /// The proxies of the run: the server of a URL that goes through one is connected to by the proxy.
  let proxies: ProxySettings
  /// The places of `--connect-to`.
  let places: ConnectTable

  /// Why the URL isn't loaded: its server would be connected to by an address of the other family. nil if it may be loaded.
  func refusal(of url: URL?) -> ToolFailure? {
    guard let origin = Target(url)?.origin, !origin.isUnixSocket else { return nil }
    let host = places.place(of: origin.host, origin.port)?.host ?? origin.host
    guard let address = IPAddress(host), (address.bytes.count == 4 ? AddressFamily.v4 : .v6) != family, isDirect(origin) else { return nil }
    let (option, other) = family == .v4 ? ("-4", 6) : ("-6", 4)
    return ToolFailure(.cannotConnect, "\(host) is an address of IP version \(other), which \(option) rules out; leave \(option) out")
  }

  private func isDirect(_ origin: Origin) -> Bool {
    guard case .routes(let routes)? = try? proxies.choice(for: origin) else { return false }
    return routes.first == .direct
  }
}
