import Foundation

/// A preload list (RFC 6797, 12.3): hosts that are reached by TLS only, even before they have asked for it.
///
/// Browsers' lists have some 150,000 names: each takes as many bytes here as it has letters, plus four.
package struct SecureHostList: Sendable, Hashable {
  /// All names without separators, in the order of their bytes.
  private var text: [UInt8] = []
  /// For each name, twice the index in `text` at which it ends, plus one if the entry includes its subdomains.
  private var ends: [UInt32] = []

  /// Why a list can't be read.
  package struct Problem: Error, Hashable {
    package let message: String
  }

  /// The most bytes of a host's name (RFC 1035, 2.3.4).
  private static let nameLimit = 253
  private static let sizeLimit = 64 << 20

  private init(_ hosts: [[UInt8]: Bool]) {
    for (name, includesSubdomains) in hosts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      text += name
      ends.append(UInt32(text.count) << 1 | (includesSubdomains ? 1 : 0))
    }
  }

  package var count: Int { ends.count }

  // MARK: looking up

  /// Whether loads from `host` must use TLS.
  ///
  /// - Parameter host: A host in the form of `Origin.host`: lower case, without brackets.
  package func requiresTLS(_ host: String) -> Bool {
    guard !ends.isEmpty, case .name(let name) = HostKind(host) else { return false }
    return includesSubdomains(name) != nil || HostKind.domains(above: name).contains { includesSubdomains($0) == true }
  }

  /// Whether the entry of this name includes its subdomains; nil if it has no entry.
  private func includesSubdomains(_ host: String) -> Bool? {
    let name = Array(host.utf8)[...]
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      let entry = text[(middle == 0 ? 0 : Int(ends[middle - 1] >> 1))..<Int(ends[middle] >> 1)]
      if entry == name { return ends[middle] & 1 == 1 }
      if entry.lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  // MARK: reading

  /// Reads a list: Chromium's (`transport_security_state_static.json`), or lines in the form of curl's `--hsts` file: a name, with a dot before
  /// it if its subdomains are included, and optionally the date on which it expires.
  ///
  /// - Parameter now: The current time; lines that have expired are left out.
  /// - Throws: A `Problem` that says what is wrong, and in which line; also for a list without any host.
  package init(_ content: Data, now: Date) throws(Problem) {
    guard content.count <= SecureHostList.sizeLimit else { throw Problem(message: "it has more than 64 MiB") }
    let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { SecureHostList.trimmed($0) }
    let code = lines.filter { !$0.isEmpty && !$0.starts(with: "//".utf8) }
    let hosts = code.first?.first == UInt8(ascii: "{") ? try SecureHostList.entries(code) : try SecureHostList.lines(lines, now)
    guard !hosts.isEmpty else { throw Problem(message: "there is no host in it") }
    self.init(hosts)
  }

  private static func trimmed(_ line: Data) -> Data {
    var line = line
    while let last = line.last, last == 0x20 || last == 0x09 || last == 0x0D { line.removeLast() }
    return line.drop { $0 == 0x20 || $0 == 0x09 }
  }

  private struct Document: Decodable {
    struct Entry: Decodable {
      let name: String
      let mode: String?
      let include_subdomains: Bool?
    }
    let entries: [Entry]
  }

  private static func entries(_ code: [Data]) throws(Problem) -> [[UInt8]: Bool] {
    let document: Document
    do {
      document = try JSONDecoder().decode(Document.self, from: Data(code.joined(separator: [UInt8(ascii: "\n")])))
    } catch {
      throw Problem(message: "it isn't a preload list in JSON, which has “entries” with a “name” each")
    }
    var hosts: [[UInt8]: Bool] = [:]
    // Entries with another mode only have pinned keys.
    for entry in document.entries where entry.mode == "force-https" {
      guard let name = name(entry.name[...]) else { throw Problem(message: "“\(entry.name)” isn't the name of a host") }
      hosts[name] = hosts[name] == true || entry.include_subdomains == true
    }
    return hosts
  }

  private static func lines(_ lines: [Data], _ now: Date) throws(Problem) -> [[UInt8]: Bool] {
    var hosts: [[UInt8]: Bool] = [:]
    for (index, line) in lines.enumerated() where !line.isEmpty && line.first != UInt8(ascii: "#") {
      let parts = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 1)
      let isBelow = parts.first?.first == "."
      guard let first = parts.first, let name = name(isBelow ? first.dropFirst() : first), parts.count == 1 || parts[1].first == "\"" else {
        throw Problem(message: "line \(index + 1) isn't the name of a host, with or without the date that it counts to in quotation marks")
      }
      if parts.count == 2, let end = date(parts[1]), end <= now { continue }
      hosts[name] = hosts[name] == true || isBelow
    }
    return hosts
  }

  /// The date of `"20291231 23:59:59"` (UTC); nil for `"unlimited"` and any other text.
  private static func date(_ text: Substring) -> Date? {
    let digits = text.filter { $0.isASCII && $0.isNumber }
    guard digits.count == 14, let number = Int(digits) else { return nil }
    var parts = DateComponents()
    parts.timeZone = .gmt
    (parts.year, parts.month, parts.day) = (number / 10_000_000_000, number / 100_000_000 % 100, number / 1_000_000 % 100)
    (parts.hour, parts.minute, parts.second) = (number / 10_000 % 100, number / 100 % 100, number % 100)
    return Calendar(identifier: .gregorian).date(from: parts)
  }

  private static func name(_ text: Substring) -> [UInt8]? {
    let lower = text.lowercased()
    let name = Array((lower.hasSuffix(".") ? lower.dropLast() : lower[...]).utf8)
    guard !name.isEmpty, name.count <= nameLimit, case .name = HostKind(String(decoding: name, as: UTF8.self)),
      name.allSatisfy({ $0 == 0x2D || $0 == 0x2E || $0 == 0x5F || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
    else { return nil }
    return name
  }
}
