import Foundation
import ProtocolRules

/// Hosts that are reached by TLS alone from their first load on: an HSTS preload list (RFC 6797, 12.3), for `URLSessionConfiguration.secureHosts`.
/// An addition to Apple's API, whose system has a list of its own.
///
/// ```swift
/// configuration.secureHosts = try URLSessionSecureHosts(contentsOf: URL(filePath: "transport_security_state_static.json"))
/// ```
/// A list is read once, when it is made: Chromium's takes some seconds and some 3 MB.
public struct URLSessionSecureHosts: Sendable, Hashable {
  let list: SecureHostList
  /// Where a background session's daemon reads it again.
  let file: URL?

  /// The list in a file: Chromium's `transport_security_state_static.json`, or lines with a name each, as curl's `--hsts` has them: a dot before
  /// the name where those below it count too, and after it perhaps the date that it counts to, `"20291231 23:59:59"` or `"unlimited"`.
  /// Lines that begin with `#` are comments.
  ///
  /// - Throws: `CocoaError` if the file can't be read, isn't such a list, or has no host; its description says in which line.
  public init(contentsOf file: URL) throws {
    list = try URLSessionSecureHosts.read(Data(contentsOf: file), file)
    self.file = file
  }

  /// The same of what such a file holds. Background sessions don't know a list without a file.
  ///
  /// - Throws: As `init(contentsOf:)`.
  public init(data: Data) throws {
    list = try URLSessionSecureHosts.read(data, nil)
    file = nil
  }

  /// How many names it has.
  public var count: Int { list.count }

  /// Whether a host, or a domain above it, is on the list.
  ///
  /// - Parameter host: As in a URL; without brackets.
  public func contains(_ host: String) -> Bool { list.requiresTLS(host.lowercased()) }

  private static func read(_ content: Data, _ file: URL?) throws -> SecureHostList {
    do {
      return try SecureHostList(content, now: Date())
    } catch {
      throw CocoaError.unusable("the list of hosts that need TLS", error.message, file)
    }
  }
}
