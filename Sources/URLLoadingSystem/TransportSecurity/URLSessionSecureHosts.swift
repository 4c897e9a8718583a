import Foundation
import ProtocolRules

/// Hosts that are reached by TLS alone from their first load on: an HSTS preload list (RFC 6797, 12.3), for `URLSessionConfiguration.secureHosts`. An
/// addition to Apple's API: Apple's systems have a list of their own.
///
/// ```swift
/// configuration.secureHosts = try URLSessionSecureHosts(contentsOf: URL(filePath: "transport_security_state_static.json"))
/// ```
/// A list is read once, when this value is made: Chromium's takes some seconds and some 3 MB.
public struct URLSessionSecureHosts: Sendable, Hashable {
  let list: SecureHostList
  /// The list's file, which a background session's daemon reads again; nil if the list was given as data.
  let file: URL?

  /// Reads the list in a file: Chromium's `transport_security_state_static.json`, or a text with a host name in each line, as curl's `--hsts` uses
  /// it: a dot before the name includes its subdomains, and an expiry date may follow the name, `"20291231 23:59:59"` or `"unlimited"`. Lines that
  /// begin with `#` are comments.
  ///
  /// - Throws: `CocoaError` if the file can't be read, isn't such a list, or has no host; its description says in which line.
  public init(contentsOf file: URL) throws {
    list = try URLSessionSecureHosts.read(Data(contentsOf: file), file)
    self.file = file
  }

  /// Reads a list from the contents of such a file. Background sessions can't use a list without a file.
  ///
  /// - Throws: `CocoaError`, as `init(contentsOf:)`.
  public init(data: Data) throws {
    list = try URLSessionSecureHosts.read(data, nil)
    file = nil
  }

  /// The number of names on the list.
  public var count: Int { list.count }

  /// Whether a host is on the list, itself or by an entry for a domain above it that includes subdomains.
  ///
  /// - Parameter host: The host as in a URL; an IPv6 address without brackets.
  public func contains(_ host: String) -> Bool { list.requiresTLS(host.lowercased()) }

  private static func read(_ content: Data, _ file: URL?) throws -> SecureHostList {
    do {
      return try SecureHostList(content, now: Date())
    } catch {
      throw CocoaError.unusable("the list of hosts that need TLS", error.message, file)
    }
  }
}
