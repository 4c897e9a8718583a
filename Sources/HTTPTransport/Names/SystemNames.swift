import Foundation
import NIOCore
import ProtocolRules

/// What the system's own files say about names: its table, hosts(5), and which services are asked, nsswitch.conf(5).
///
/// The files are read for each look-up, as the system's resolver does it: answers are kept by `HostCache`. Not on an event loop.
enum SystemNames {
  static var services: NameServices { NameServices(configuration: try? String(contentsOfFile: "/etc/nsswitch.conf", encoding: .utf8)) }

  /// The addresses that the table gives `host`, without ports; nil if other services are asked about it. Empty only if they are written wrongly.
  static func addresses(of host: String, by services: NameServices = SystemNames.services) -> [SocketAddress]? {
    guard services.tableComesFirst, let table = FileManager.default.contents(atPath: "/etc/hosts") else { return nil }
    let found = HostsTable.addresses(of: host, in: [UInt8](table))
    return found.isEmpty ? nil : found.compactMap { try? SocketAddress(ipAddress: $0.text, port: 0) }
  }
}
