import Foundation
import ProtocolRules
import URLLoadingSystem

/// The options about sockets and names: `--resolve`, `--connect-to`, `--unix-socket`, `--doh-url`, `-4`, `-6`. Pure.
struct NamePlaces {
  private var addresses: [String: [String]] = [:]
  private var places: [String: String] = [:]
  private var server: URL?
  private let family: AddressFamily?
  let socketPath: String?

  init(_ options: NetworkOptions) throws(UsageError) {
    socketPath = options.unixSocket ?? options.abstractUnixSocket.map { "@\($0)" }
    family = options.family
    for text in options.resolve { try resolve(text) }
    for text in options.connectTo { try connect(text) }
    guard let text = options.dohURL else { return }
    guard let url = URL(string: text), url.scheme?.lowercased() == "https", url.host != nil else {
      throw UsageError("--doh-url takes a URL that begins with https://.")
    }
    guard addresses.isEmpty else { throw UsageError("--doh-url and --resolve can't be used together; leave one of the two out.") }
    if family != nil { throw UsageError("--doh-url asks for all addresses of a name; leave -4 and -6 out.") }
    server = url
  }

  /// Applies the options to the session's configuration.
  func apply(to configuration: URLSessionConfiguration) {
    configuration.unixSocketPath = socketPath
    if let server { configuration.nameResolution = .https(server) }
    if !addresses.isEmpty { configuration.nameResolution = .fixed(addresses) }
    if let family {
      let addresses = addresses
      configuration.nameResolution = .custom { host, port in try await FamilyResolver.addresses(of: host, port, family, fixed: addresses) }
    }
    configuration.nameResolution.connectTo = places
  }

  /// What `-4` or `-6` means for URLs with an address; nil without these options, or if all connections lead to a Unix socket.
  func rule(_ proxies: @autoclosure () -> ProxySettings) -> FamilyRule? {
    guard socketPath == nil else { return nil }
    return family.map { FamilyRule(family: $0, proxies: proxies(), places: ConnectTable(places)) }
  }

  /// Parses HOST:PORT:ADDRESS[,ADDRESS]. A plus sign before it, by which curl lets entries expire, is ignored.
  private mutating func resolve(_ text: String) throws(UsageError) {
    let parts = NamePlaces.parts(text.hasPrefix("+") ? String(text.dropFirst()) : text, 3)
    guard parts.count == 3, !parts[0].isEmpty, UInt16(parts[1]) ?? 0 > 0, !parts[2].isEmpty else {
      throw UsageError("--resolve takes HOST:PORT:ADDRESS, not \"\(text)\".")
    }
    let key = "\(parts[0]):\(parts[1])"
    // As in curl, the last entry for a host and port counts.
    addresses[key] = parts[2].split(separator: ",").map(String.init)
  }

  private mutating func connect(_ text: String) throws(UsageError) {
    let parts = NamePlaces.parts(text, 4)
    guard parts.count == 4, [parts[1], parts[3]].allSatisfy({ $0.isEmpty || UInt16($0) ?? 0 > 0 }) else {
      throw UsageError("--connect-to takes HOST1:PORT1:HOST2:PORT2, not \"\(text)\".")
    }
    let key = "\(parts[0]):\(parts[1])"
    if places[key] == nil { places[key] = "\(parts[2]):\(parts[3])" }
  }

  /// Splits the text at colons into at most `limit` parts; colons in brackets don't count, and the last part has the rest.
  private static func parts(_ text: String, _ limit: Int) -> [String] {
    var parts = [""]
    var isInBrackets = false
    for character in text {
      if character == "[" { isInBrackets = true }
      if character == "]" { isInBrackets = false }
      if character == ":", !isInBrackets, parts.count < limit {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts
  }
}
