import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel

/// Translates a configuration into the engine's terms; reads the environment, at the engine's edge and once per session.
enum SessionSettings {
  static func make(_ configuration: URLSessionConfiguration) -> LoadSettings {
    var tls = TLSSettings(
      minimumVersion: configuration.tlsMinimumSupportedProtocolVersion.rawValue,
      maximumVersion: configuration.tlsMaximumSupportedProtocolVersion.rawValue)
    tls.additionalRoots = configuration.trustedRootsPEM
    tls.trustStoreFile = ProcessInfo.processInfo.environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    var settings = LoadSettings(tls: tls, userAgent: userAgent)
    settings.maximumConnectionsPerHost = configuration.httpMaximumConnectionsPerHost
    settings.requestTimeout = configuration.timeoutIntervalForRequest
    settings.resourceTimeout = configuration.timeoutIntervalForResource
    settings.additionalHeaders = headers(configuration.httpAdditionalHeaders)
    settings.preferredLanguages = Locale.preferredLanguages
    settings.clock = configuration.loadClock
    return settings
  }

  /// In a fixed order, so that the wire is the same for each request.
  private static func headers(_ fields: [AnyHashable: Any]?) -> HeaderFields {
    var pairs: [(name: String, value: String)] = []
    for (name, value) in fields ?? [:] {
      guard let name = name.base as? String else { continue }
      pairs.append((name, value as? String ?? "\(value)"))
    }
    return HeaderFields(pairs.sorted { $0.name < $1.name })
  }

  /// Process and library, as Apple's names app and CFNetwork.
  private static let userAgent: String = {
    let process = ProcessInfo.processInfo.processName.unicodeScalars.filter {
      $0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0 || "-._".unicodeScalars.contains($0))
    }
    let name = String(String.UnicodeScalarView(process))
    return "\(name.isEmpty ? "app" : name)/1 URLLoadingSystem/0.1"
  }()
}
