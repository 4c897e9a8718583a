import Foundation
import URLLoadingSystem

/// One combination of App Transport Security's settings to try a server with. Pure.
struct TransportSecurityTrial: Sendable, Equatable {
  /// What holds for the host.
  enum Settings: Sendable, Equatable {
    /// Nothing is set.
    case standard
    /// An entry of its own in NSExceptionDomains.
    case exception(version: Version, forwardSecrecy: Bool, http: Bool)
    /// NSAllowsArbitraryLoads.
    case arbitraryLoads
  }

  /// A value of NSExceptionMinimumTLSVersion.
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

  /// Every combination, strictest first within its kind.
  static let all: [TransportSecurityTrial] =
    [.init(settings: .standard)]
    + [false, true].flatMap { http in
      [true, false].flatMap { secrecy in
        Version.allCases.map { .init(settings: .exception(version: $0, forwardSecrecy: secrecy, http: http)) }
      }
    }
    + [.init(settings: .arbitraryLoads)]

  /// What a public host is held to where nothing is set, written out for the host: it holds for local ones too.
  static let fullProtection = TransportSecurityTrial(settings: .exception(version: .tls12, forwardSecrecy: true, http: false))

  /// In columns of a fixed width.
  var title: String {
    switch settings {
    case .standard: "nothing set"
    case .arbitraryLoads: "NSAllowsArbitraryLoads"
    case .exception(let version, let forwardSecrecy, let http):
      "\(version.rawValue)  \(forwardSecrecy ? "forward secrecy   " : "any key exchange  ")\(http ? "http allowed" : "https only")"
    }
  }

  /// The settings as a session takes them.
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

  /// The keys of the host's entry that differ from full protection, as Info.plist has them.
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
