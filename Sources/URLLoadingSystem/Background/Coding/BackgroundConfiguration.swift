import BackgroundTransfers
import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// The configuration of a background session in the form that is sent to the daemon, encoded in `SessionTerms.configuration`.
package struct BackgroundConfiguration: Codable, Sendable {
  /// Which of the app's storages a session uses. A storage in the app's memory can't be reached from the daemon, and counts as `none`.
  private enum Storage: String, Codable, Sendable {
    case shared
    case none
  }

  private let scalars: Scalars
  /// The additional header fields, as pairs of name and value sorted by name, and the app's `User-Agent`.
  private let headers: [[String]]
  private let trustedRoots: [Data]
  /// What the app's environment says about TLS; nil from an app of an earlier version.
  private let tls: TLSEnvironment?
  private let proxies: BackgroundProxies
  private let transportSecurity: TransportSecurityValue?
  private let cookies: Storage
  private let credentials: Storage
  private let keepsHSTS: Bool
  /// The path of the file of `secureHosts`; nil for none.
  private let secureHosts: String?
  private let transparencyLogs: String?
  /// The paths of the files of `revocationLists`; nil for none.
  private let revocationLists: [String]?

  package init(_ given: URLSessionConfiguration) {
    scalars = Scalars(given)
    headers = BackgroundConfiguration.headers(given)
    trustedRoots = given.trustedRootsPEM
    tls = (given.tlsEnvironment ?? .ofProcess).absolute
    proxies = BackgroundProxies(given)
    transportSecurity = given.appTransportSecurity.map { TransportSecurityValue($0) }
    cookies = given.httpCookieStorage === HTTPCookieStorage.shared ? .shared : .none
    credentials = given.urlCredentialStorage === URLCredentialStorage.shared ? .shared : .none
    keepsHSTS = given.hstsStore === HSTSStore.shared
    secureHosts = given.secureHosts?.file?.absoluteURL.path(percentEncoded: false)
    transparencyLogs = given.effectiveTransparencyLogs?.file?.absoluteURL.path(percentEncoded: false)
    revocationLists = given.revocationLists?.files.map { $0.absoluteURL.path(percentEncoded: false) }
  }

  /// The additional header fields, with the app's `User-Agent`: otherwise requests would name the daemon's process.
  private static func headers(_ given: URLSessionConfiguration) -> [[String]] {
    let fields = SessionSettings.headers(given.httpAdditionalHeaders)
    let pairs = fields.entries.map { [$0.name, $0.value] }
    return fields.contains("User-Agent") ? pairs : pairs + [["User-Agent", SessionSettings.userAgent]]
  }

  /// Decodes the settings; nil if `encoded` can't be decoded.
  package init?(encoded: Data) {
    guard let read = try? MessageCoding.decode(BackgroundConfiguration.self, from: encoded) else { return nil }
    self = read
  }

  /// The settings as bytes, for `SessionTerms`; empty if encoding fails, which no value of the settings can cause.
  package var encoded: Data {
    (try? MessageCoding.encode(self)) ?? Data()
  }

  /// Makes the configuration of the daemon's session that runs the app's transfers: it waits for connectivity, has no cache, and uses the files of
  /// the app's storages.
  package func make(for app: SessionTerms.App) -> URLSessionConfiguration {
    let made = URLSessionConfiguration.default
    let location = StoreLocation(
      data: URL(filePath: app.data, directoryHint: .isDirectory), caches: URL(filePath: app.caches, directoryHint: .isDirectory),
      settings: URL(filePath: app.settings, directoryHint: .isDirectory), app: app.name)
    made.urlCache = nil
    made.httpCookieStorage = cookies == .shared ? HTTPCookieStorage(CookieStore(file: location.cookieFile)) : nil
    made.urlCredentialStorage =
      credentials == .shared
      ? URLCredentialStorage(permanent: CredentialStore(location, environment: ProcessEnvironment.variables))
      : URLCredentialStorage()
    made.hstsStore = keepsHSTS ? HSTSStore(file: location.hstsFile) : HSTSStore()
    if made.alternativeServiceStore != nil {
      made.alternativeServiceStore = keepsHSTS ? AlternativeServiceStore(file: location.alternativesFile) : nil
    }
    made.secureHosts = secureHosts.flatMap { try? URLSessionSecureHosts(contentsOf: URL(filePath: $0)) }
    made.certificateTransparencyLogs = transparencyLogs.flatMap {
      try? URLSessionCertificateTransparencyLogs(contentsOf: URL(filePath: $0))
    }
    made.revocationLists = revocationLists.flatMap { try? URLSessionRevocationLists(contentsOf: $0.map { URL(filePath: $0) }) }
    made.waitsForConnectivity = true
    scalars.apply(to: made)
    made.trustedRootsPEM = trustedRoots
    made.tlsEnvironment = tls ?? .plain
    made.appTransportSecurity = transportSecurity?.settings
    proxies.apply(to: made)
    let pairs = headers.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }
    made.httpAdditionalHeaders = Dictionary(pairs, uniquingKeysWith: { $1 })
    return made
  }
}

extension BackgroundConfiguration {
  private enum CodingKeys: CodingKey {
    case headers, trustedRoots, tls, proxies, transportSecurity, cookies, credentials, keepsHSTS, secureHosts, transparencyLogs,
      revocationLists
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    scalars = try Scalars(from: decoder)
    headers = try values.decode([[String]].self, forKey: .headers)
    trustedRoots = try values.decode([Data].self, forKey: .trustedRoots)
    tls = try values.decodeIfPresent(TLSEnvironment.self, forKey: .tls)
    proxies = try values.decode(BackgroundProxies.self, forKey: .proxies)
    transportSecurity = try values.decodeIfPresent(TransportSecurityValue.self, forKey: .transportSecurity)
    cookies = try values.decode(Storage.self, forKey: .cookies)
    credentials = try values.decode(Storage.self, forKey: .credentials)
    keepsHSTS = try values.decode(Bool.self, forKey: .keepsHSTS)
    secureHosts = try values.decodeIfPresent(String.self, forKey: .secureHosts)
    transparencyLogs = try values.decodeIfPresent(String.self, forKey: .transparencyLogs)
    revocationLists = try values.decodeIfPresent([String].self, forKey: .revocationLists)
  }

  package func encode(to encoder: any Encoder) throws {
    try scalars.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(headers, forKey: .headers)
    try values.encode(trustedRoots, forKey: .trustedRoots)
    try values.encodeIfPresent(tls, forKey: .tls)
    try values.encode(proxies, forKey: .proxies)
    try values.encodeIfPresent(transportSecurity, forKey: .transportSecurity)
    try values.encode(cookies, forKey: .cookies)
    try values.encode(credentials, forKey: .credentials)
    try values.encode(keepsHSTS, forKey: .keepsHSTS)
    try values.encodeIfPresent(secureHosts, forKey: .secureHosts)
    try values.encodeIfPresent(transparencyLogs, forKey: .transparencyLogs)
    try values.encodeIfPresent(revocationLists, forKey: .revocationLists)
  }
}
