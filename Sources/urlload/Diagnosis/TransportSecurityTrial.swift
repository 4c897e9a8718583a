import Foundation
import URLLoadingSystem

/// One combination of App Transport Security's settings, to be tried with a server. Pure.
struct TransportSecurityTrial: Sendable, Equatable {
  /// The settings for the host.
  enum Settings: Sendable, Equatable {
    /// No settings: the defaults apply.
    case standard
    /// An entry for the host in NSExceptionDomains.
    case exception(version: Version, forwardSecrecy: Bool, http: Bool)
    /// NSAllowsArbitraryLoads is set.
    case arbitraryLoads
  }

  /// Values of NSExceptionMinimumTLSVersion.
  enum Version: String, Sendable, CaseIterable {
    case tls13 = "TLSv1.3"
    case tls12 = "TLSv1.2"
    case tls11 = "TLSv1.1"
    case tls10 = "TLSv1.0"

    var number: tls_protocol_version_t {
      switch self {
      case .tls13: .TLSv13
      case .tls12: .TLSv12
      case .tls11: .TLSv11
      case .tls10: .TLSv10
      }
    }
  }

  let settings: Settings

  /// All combinations; within each kind the strictest first.
  static let all: [TransportSecurityTrial] =
    [.init(settings: .standard)]
    + [false, true].flatMap { http in
      [true, false].flatMap { secrecy in
        Version.allCases.map { .init(settings: .exception(version: $0, forwardSecrecy: secrecy, http: http)) }
      }
    }
    + [.init(settings: .arbitraryLoads)]

  /// App Transport Security's defaults for public hosts, written as an entry for the host, so that they apply to local hosts as well.
  static let fullProtection = TransportSecurityTrial(settings: .exception(version: .tls12, forwardSecrecy: true, http: false))

  /// The settings as text, in columns of fixed width.
  var title: String {
    switch settings {
    case .standard: "nothing set"
    case .arbitraryLoads: "NSAllowsArbitraryLoads"
    case .exception(let version, let forwardSecrecy, let http):
      "\(version.rawValue)  \(forwardSecrecy ? "forward secrecy   " : "any key exchange  ")\(http ? "http allowed" : "https only")"
    }
  }

  /// The settings as a session's configuration takes them.
  func transportSecurity(for host: String) -> URLSessionAppTransportSecurity {
    var result = URLSessionAppTransportSecurity()
    switch settings {
    case .standard: break
    case .arbitraryLoads: result.allowsArbitraryLoads = true
    case .exception(let version, let forwardSecrecy, let http):
      var entry = URLSessionAppTransportSecurity.ExceptionDomain()
      entry.minimumTLSVersion = version.number
      entry.requiresForwardSecrecy = forwardSecrecy
      entry.allowsInsecureHTTPLoads = http
      result.exceptionDomains[host] = entry
    }
    return result
  }

  /// The keys that an app needs in its Info.plist, in the host's entry: those that differ from full protection.
  var keys: [String] {
    guard case .exception(let version, let forwardSecrecy, let http) = settings else { return [] }
    var keys: [String] = []
    if http { keys.append("NSExceptionAllowsInsecureHTTPLoads = YES") }
    if version < .tls12 { keys.append("NSExceptionMinimumTLSVersion = \(version.rawValue)") }
    if !forwardSecrecy { keys.append("NSExceptionRequiresForwardSecrecy = NO") }
    return keys
  }
}

extension TransportSecurityTrial.Version: Comparable {
  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
