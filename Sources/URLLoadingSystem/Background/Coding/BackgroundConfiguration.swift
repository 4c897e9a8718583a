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

  private let cachePolicy: UInt
  private let requestTimeout: Double
  private let resourceTimeout: Double
  private let serviceType: UInt
  private let allowsCellular: Bool
  private let allowsExpensive: Bool
  private let allowsConstrained: Bool
  private let requiresDNSSEC: Bool
  private let multipath: Int
  private let minimumTLS: UInt16
  private let maximumTLS: UInt16
  private let pipelines: Bool
  private let setsCookies: Bool
  private let cookiePolicy: UInt
  private let connectionsPerHost: Int
  private let allowsFastOpen: Bool
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

  package init(_ given: URLSessionConfiguration) {
    cachePolicy = given.requestCachePolicy.rawValue
    requestTimeout = given.timeoutIntervalForRequest
    resourceTimeout = given.timeoutIntervalForResource
    serviceType = given.networkServiceType.rawValue
    allowsCellular = given.allowsCellularAccess
    allowsExpensive = given.allowsExpensiveNetworkAccess
    allowsConstrained = given.allowsConstrainedNetworkAccess
    requiresDNSSEC = given.requiresDNSSECValidation
    multipath = given.multipathServiceType.rawValue
    minimumTLS = given.tlsMinimumSupportedProtocolVersion.rawValue
    maximumTLS = given.tlsMaximumSupportedProtocolVersion.rawValue
    pipelines = given.httpShouldUsePipelining
    setsCookies = given.httpShouldSetCookies
    cookiePolicy = given.httpCookieAcceptPolicy.rawValue
    connectionsPerHost = given.httpMaximumConnectionsPerHost
    allowsFastOpen = given.allowsFastOpen
    headers = BackgroundConfiguration.headers(given)
    trustedRoots = given.trustedRootsPEM
    tls = (given.tlsEnvironment ?? .ofProcess).absolute
    proxies = BackgroundProxies(given)
    transportSecurity = given.appTransportSecurity.map { TransportSecurityValue($0) }
    cookies = given.httpCookieStorage === HTTPCookieStorage.shared ? .shared : .none
    credentials = given.urlCredentialStorage === URLCredentialStorage.shared ? .shared : .none
    keepsHSTS = given.hstsStore === HSTSStore.shared
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
    made.waitsForConnectivity = true
    made.requestCachePolicy = NSURLRequest.CachePolicy(rawValue: cachePolicy) ?? .useProtocolCachePolicy
    made.timeoutIntervalForRequest = requestTimeout
    made.timeoutIntervalForResource = resourceTimeout
    made.trustedRootsPEM = trustedRoots
    made.tlsEnvironment = tls ?? .plain
    made.appTransportSecurity = transportSecurity?.settings
    proxies.apply(to: made)
    applyNetwork(to: made)
    applyHTTP(to: made)
    return made
  }

  private func applyNetwork(to made: URLSessionConfiguration) {
    made.networkServiceType = NSURLRequest.NetworkServiceType(rawValue: serviceType) ?? .default
    made.allowsCellularAccess = allowsCellular
    made.allowsExpensiveNetworkAccess = allowsExpensive
    made.allowsConstrainedNetworkAccess = allowsConstrained
    made.requiresDNSSECValidation = requiresDNSSEC
    made.multipathServiceType = .init(rawValue: multipath) ?? .none
    made.tlsMinimumSupportedProtocolVersion = tls_protocol_version_t(rawValue: minimumTLS) ?? .TLSv12
    made.tlsMaximumSupportedProtocolVersion = tls_protocol_version_t(rawValue: maximumTLS) ?? .TLSv13
    made.allowsFastOpen = allowsFastOpen
  }

  private func applyHTTP(to made: URLSessionConfiguration) {
    made.httpShouldUsePipelining = pipelines
    made.httpShouldSetCookies = setsCookies
    made.httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy(rawValue: cookiePolicy) ?? .onlyFromMainDocumentDomain
    made.httpMaximumConnectionsPerHost = connectionsPerHost
    let pairs = headers.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }
    made.httpAdditionalHeaders = Dictionary(pairs, uniquingKeysWith: { $1 })
  }
}
