import Foundation
import NIOCore
import ProtocolRules

/// The system's files about names: the table of addresses, hosts(5), and the order of name services, nsswitch.conf(5).
///
/// The files are read for each look-up, as the system's resolver does; `HostCache` caches the answers. Not to be used on an event loop.
enum SystemNames {
  static var services: NameServices { NameServices(configuration: try? String(contentsOfFile: "/etc/nsswitch.conf", encoding: .utf8)) }

  /// The addresses that /etc/hosts gives `host`, without ports; nil if it has none or isn't asked first. Empty only if its addresses are malformed.
  static func addresses(of host: String, by services: NameServices = SystemNames.services) -> [SocketAddress]? {
    guard services.tableComesFirst, let table = FileManager.default.contents(atPath: "/etc/hosts") else { return nil }
    let found = HostsTable.addresses(of: host, in: [UInt8](table))
    return found.isEmpty ? nil : found.compactMap { try? SocketAddress(ipAddress: $0.text, port: 0) }
  }
}
