import Foundation

/// App Transport Security's settings in the form that is sent to the daemon.
struct TransportSecurityValue: Codable, Sendable {
  private struct Exception: Codable, Sendable {
    let includesSubdomains: Bool
    let allowsInsecureHTTPLoads: Bool
    let minimumTLS: UInt16?
    let requiresForwardSecrecy: Bool
    /// Whether Certificate Transparency is required; nil from an app of an earlier version.
    let requiresTransparency: Bool?
  }

  private struct Pins: Codable, Sendable {
    let includesSubdomains: Bool
    let authorities: [Data]
    let leaves: [Data]
  }

  private let allowsArbitraryLoads: Bool
  private let allowsForMedia: Bool?
  private let allowsInWebContent: Bool?
  private let allowsLocalNetworking: Bool?
  private let exceptions: [String: Exception]
  private let pins: [String: Pins]
  private let unreadableSource: String?

  init(_ settings: URLSessionAppTransportSecurity) {
    allowsArbitraryLoads = settings.allowsArbitraryLoads
    allowsForMedia = settings.allowsArbitraryLoadsForMedia
    allowsInWebContent = settings.allowsArbitraryLoadsInWebContent
    allowsLocalNetworking = settings.allowsLocalNetworking
    unreadableSource = settings.unreadableSource
    exceptions = settings.exceptionDomains.mapValues {
      Exception(
        includesSubdomains: $0.includesSubdomains, allowsInsecureHTTPLoads: $0.allowsInsecureHTTPLoads,
        minimumTLS: $0.minimumTLSVersion?.rawValue, requiresForwardSecrecy: $0.requiresForwardSecrecy,
        requiresTransparency: $0.requiresCertificateTransparency)
    }
    pins = settings.pinnedDomains.mapValues {
      Pins(includesSubdomains: $0.includesSubdomains, authorities: $0.caIdentities.sorted(), leaves: $0.leafIdentities.sorted())
    }
  }

  var settings: URLSessionAppTransportSecurity {
    var settings = URLSessionAppTransportSecurity()
    settings.allowsArbitraryLoads = allowsArbitraryLoads
    settings.allowsArbitraryLoadsForMedia = allowsForMedia
    settings.allowsArbitraryLoadsInWebContent = allowsInWebContent
    settings.allowsLocalNetworking = allowsLocalNetworking
    settings.unreadableSource = unreadableSource
    settings.exceptionDomains = exceptions.mapValues { entry in
      var exception = URLSessionAppTransportSecurity.ExceptionDomain()
      exception.includesSubdomains = entry.includesSubdomains
      exception.allowsInsecureHTTPLoads = entry.allowsInsecureHTTPLoads
      exception.minimumTLSVersion = entry.minimumTLS.flatMap { tls_protocol_version_t(rawValue: $0) }
      exception.requiresForwardSecrecy = entry.requiresForwardSecrecy
      exception.requiresCertificateTransparency = entry.requiresTransparency ?? false
      return exception
    }
    settings.pinnedDomains = pins.mapValues { entry in
      var domain = URLSessionAppTransportSecurity.PinnedDomain()
      domain.includesSubdomains = entry.includesSubdomains
      domain.caIdentities = Set(entry.authorities)
      domain.leafIdentities = Set(entry.leaves)
      return domain
    }
    return settings
  }
}

extension Data {
  fileprivate static func before(_ left: Data, _ right: Data) -> Bool { left.lexicographicallyPrecedes(right) }
}

extension Set<Data> {
  /// The hashes in ascending order, so that equal settings are encoded alike.
  fileprivate func sorted() -> [Data] { sorted(by: Data.before) }
}
