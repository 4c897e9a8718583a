import Foundation
import URLLoadingSystem

/// What the command line says about sockets and names. Pure.
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

  /// What the session is told.
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

  /// HOST:PORT:ADDRESS[,ADDRESS]. A plus sign in front, with which curl has entries that go stale, changes nothing.
  private mutating func resolve(_ text: String) throws(UsageError) {
    let parts = NamePlaces.parts(text.hasPrefix("+") ? String(text.dropFirst()) : text, 3)
    guard parts.count == 3, !parts[0].isEmpty, UInt16(parts[1]) ?? 0 > 0, !parts[2].isEmpty else {
      throw UsageError("--resolve takes HOST:PORT:ADDRESS, not \"\(text)\".")
    }
    let key = "\(parts[0]):\(parts[1])"
    // As with curl the last counts.
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

  /// What is between the colons, of which those in brackets don't count; the last part has all the rest.
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
