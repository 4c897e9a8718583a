import BackgroundTransfers
import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// The settings of a background session as the daemon needs them: what `SessionTerms.configuration` holds.
package struct BackgroundConfiguration: Codable, Sendable {
  /// Which storage of the app a session uses. One in the app's memory can't be reached from another process.
  private enum Storage: String, Codable, Sendable {
    case shared
    case none
  }

  private let scalars: Scalars
  /// The app's name in `User-Agent`, and the fields that the app adds, sorted by name.
  private let headers: [[String]]
  private let trustedRoots: [Data]
  /// nil from an app of an earlier version.
  private let tls: TLSEnvironment?
  private let proxies: BackgroundProxies
  private let transportSecurity: TransportSecurityValue?
  private let cookies: Storage
  private let credentials: Storage
  private let keepsHSTS: Bool
  /// The path of the list.
  private let secureHosts: String?
  private let transparencyLogs: String?
  /// The paths of the lists; nil for none.
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

  /// The daemon would name itself: the app's own name goes with its requests.
  private static func headers(_ given: URLSessionConfiguration) -> [[String]] {
    let fields = SessionSettings.headers(given.httpAdditionalHeaders)
    let pairs = fields.entries.map { [$0.name, $0.value] }
    return fields.contains("User-Agent") ? pairs : pairs + [["User-Agent", SessionSettings.userAgent]]
  }

  /// nil if `encoded` isn't what `encoded` gave.
  package init?(encoded: Data) {
    guard let read = try? MessageCoding.decode(BackgroundConfiguration.self, from: encoded) else { return nil }
    self = read
  }

  /// For `SessionTerms`; empty if the settings can't be encoded, which no value of theirs can cause.
  package var encoded: Data {
    (try? MessageCoding.encode(self)) ?? Data()
  }

  /// The configuration of the session that carries the app's transfers on: it waits for connectivity, has no cache, and uses the stores
  /// of the app.
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
