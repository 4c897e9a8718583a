/// Reads the system's own table of host names, hosts(5): one address a line, followed by the names it belongs to.
///
/// The DNS isn't asked, in either family, for a name in the table: block lists, aliases and the hosts that containers are given rely on that.
package enum HostsTable {
  /// The addresses that the table gives `name`, in its order; empty if it doesn't name it.
  package static func addresses(of name: String, in table: [UInt8]) -> [IPAddress] {
    let wanted = Array(withoutRootDot(name).utf8)
    guard !wanted.isEmpty else { return [] }
    var found: [IPAddress] = []
    table.withUnsafeBufferPointer { table in
      var start = 0
      while start < table.count {
        let end = table[start...].firstIndex(of: UInt8(ascii: "\n")) ?? table.count
        if let address = address(of: wanted, in: table[start..<end]), !found.contains(address) { found.append(address) }
        start = end + 1
      }
    }
    return found
  }

  private static func withoutRootDot(_ name: String) -> Substring { name.hasSuffix(".") ? name.dropLast() : name[...] }

  /// The address at the beginning of the line if one of its names is `wanted`; else nil.
  private static func address(of wanted: [UInt8], in line: Slice<UnsafeBufferPointer<UInt8>>) -> IPAddress? {
    var words = Words(rest: line)
    guard let first = words.next() else { return nil }
    while let word = words.next() {
      guard matches(word, wanted) else { continue }
      return IPAddress(String(decoding: first, as: UTF8.self))
    }
    return nil
  }

  private static func matches(_ word: Slice<UnsafeBufferPointer<UInt8>>, _ wanted: [UInt8]) -> Bool {
    word.count == wanted.count && zip(word, wanted).allSatisfy { lowercased($0) == lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

  /// The words of a line before its comment, which begins with "#".
  private struct Words {
    var rest: Slice<UnsafeBufferPointer<UInt8>>

    mutating func next() -> Slice<UnsafeBufferPointer<UInt8>>? {
      guard let start = rest.firstIndex(where: { !Words.isBlank($0) }), rest[start] != UInt8(ascii: "#") else { return nil }
      let end = rest[start...].firstIndex { Words.isBlank($0) || $0 == UInt8(ascii: "#") } ?? rest.endIndex
      defer { rest = rest[end...] }
      return rest[start..<end]
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
  }
}
