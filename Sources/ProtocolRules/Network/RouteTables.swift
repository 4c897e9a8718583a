/// Reads the kernel's routing tables (proc(5): /proc/net/route, /proc/net/ipv6_route).
package enum RouteTables {
  /// The names of the interfaces that have a default route which is up.
  ///
  /// Columns of the table: interface, destination, gateway, flags, …, mask (8th), in hexadecimal.
  package static func defaultInterfaces(v4 table: String) -> Set<String> {
    var names = Set<String>()
    for line in table.split(separator: "\n").dropFirst().prefix(limit) {
      let columns = line.split(whereSeparator: \.isWhitespace)
      guard columns.count >= 8, columns[1] == "00000000", columns[7] == "00000000" else { continue }
      if isUsable(columns[3]) { names.insert(String(columns[0])) }
    }
    return names
  }

  /// The names of the interfaces that have a default route which is up. Columns of the table: destination, its prefix length, source, its prefix
  /// length, next hop, metric, references, uses, flags, interface.
  package static func defaultInterfaces(v6 table: String) -> Set<String> {
    var names = Set<String>()
    for line in table.split(separator: "\n").prefix(limit) {
      let columns = line.split(whereSeparator: \.isWhitespace)
      guard columns.count >= 10, columns[1] == "00", columns[0].allSatisfy({ $0 == "0" }) else { continue }
      if isUsable(columns[8]) { names.insert(String(columns[9])) }
    }
    return names
  }

  /// The most lines of a table that are read: large routers have a million, and a default route is near the top.
  private static let limit = 10_000
  private static let isUp: UInt32 = 0x0001
  private static let isRejecting: UInt32 = 0x0200

  private static func isUsable(_ flags: Substring) -> Bool {
    guard let flags = UInt32(flags, radix: 16) else { return false }
    return flags & isUp != 0 && flags & isRejecting == 0
  }
}
