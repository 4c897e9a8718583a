import BackgroundTransfers
import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Testing

@testable import URLLoadingSystem

/// Each setting of a configuration, found by reflection, reaches the daemon or is named here as one that doesn't.
@Suite struct ConfigurationTripTests {
  typealias Change = @Sendable (URLSessionConfiguration) -> Void

  /// A new setting needs a line here or below; one that is a flag or a number also needs one in `BackgroundConfiguration.Scalars`.
  private static let changes: [String: Change] = [
    "requestCachePolicy": { $0.requestCachePolicy = .reloadIgnoringLocalCacheData },
    "timeoutIntervalForRequest": { $0.timeoutIntervalForRequest = 7 }, "timeoutIntervalForResource": { $0.timeoutIntervalForResource = 8 },
    "networkServiceType": { $0.networkServiceType = .background }, "allowsCellularAccess": { $0.allowsCellularAccess = false },
    "allowsExpensiveNetworkAccess": { $0.allowsExpensiveNetworkAccess = false },
    "allowsConstrainedNetworkAccess": { $0.allowsConstrainedNetworkAccess = false },
    "allowsUltraConstrainedNetworkAccess": { $0.allowsUltraConstrainedNetworkAccess = true },
    "requiresDNSSECValidation": { $0.requiresDNSSECValidation = true },
    "tlsMinimumSupportedProtocolVersion": { $0.tlsMinimumSupportedProtocolVersion = .TLSv13 },
    "tlsMaximumSupportedProtocolVersion": { $0.tlsMaximumSupportedProtocolVersion = .TLSv12 },
    "httpShouldUsePipelining": { $0.httpShouldUsePipelining = true }, "httpShouldSetCookies": { $0.httpShouldSetCookies = false },
    "httpCookieAcceptPolicy": { $0.httpCookieAcceptPolicy = .never },
    "httpMaximumConnectionsPerHost": { $0.httpMaximumConnectionsPerHost = 3 },
    "multipathServiceType": { $0.multipathServiceType = .handover }, "enablesEarlyData": { $0.enablesEarlyData = true },
    "allowsFastOpen": { $0.allowsFastOpen = true }, "trustedRootsPEM": { $0.trustedRootsPEM = [Data("PEM".utf8)] },
    "encryptedClientHello": { $0.encryptedClientHello = .required }, "httpCookieStorage": { $0.httpCookieStorage = nil },
  ]

  /// What has a form of its own in the messages, which other tests look at.
  private static let others: Set<String> = [
    "identifier", "isDiscretionary", "sessionSendsLaunchEvents", "connectionProxyDictionary", "proxyConfigurations",
    "httpAdditionalHeaders", "urlCredentialStorage", "tlsEnvironment", "hstsStore", "secureHosts", "certificateTransparencyLogs",
    "revocationLists", "alternativeServiceStore", "transportSecurity", "backgroundLaunch",
  ]

  /// What the daemon decides: it waits for connectivity, has no cache and no objects of the app, and opens no WebSockets.
  private static let daemons: Set<String> = [
    "waitsForConnectivity", "urlCache", "protocolClasses", "webSocketCompression", "networkObserver", "loadClock", "downloadFolder",
    "transferJournal", "serviceBindingResolver", "proxySettings", "httpVersions", "logger", "metricsFactory", "tracer",
    "showsQueriesOfObservedURLs", "retryPolicy", "bodyLimits", "nameResolution", "unixSocketPath", "interceptors",
    "transferRecording", "connectionWatcher", "makeLoadObserver",
  ]

  /// What has no effect in any session.
  private static let idle: Set<String> = [
    "sharedContainerIdentifier", "shouldUseExtendedBackgroundIdleMode", "usesClassicLoadingMode", "reportsAsyncDownloads",
  ]

  private static let app = SessionTerms.App(name: "app", data: "/tmp/data", caches: "/tmp/caches", settings: "/tmp/settings")

  private func shown(_ configuration: URLSessionConfiguration, _ label: String) -> String {
    let values = configuration.values.withLock { $0 }
    return Mirror(reflecting: values).children.first { $0.label == label }.map { "\($0.value)" } ?? "absent"
  }

  @Test func everySettingIsAccountedFor() {
    let labels = Set(Mirror(reflecting: ConfigurationValues()).children.compactMap(\.label))
    let known = Set(ConfigurationTripTests.changes.keys).union(ConfigurationTripTests.others).union(ConfigurationTripTests.daemons)
      .union(ConfigurationTripTests.idle)
    #expect(labels.subtracting(known).isEmpty)
  }

  @Test(arguments: changes.keys.sorted()) func everySettingReachesTheDaemon(_ label: String) throws {
    let change = try #require(ConfigurationTripTests.changes[label])
    let sent = URLSessionConfiguration.background(withIdentifier: "trip")
    let before = shown(sent, label)
    change(sent)
    #expect(shown(sent, label) != before)
    let got = try #require(BackgroundConfiguration(encoded: BackgroundConfiguration(sent).encoded)).make(for: ConfigurationTripTests.app)
    #expect(shown(got, label) == shown(sent, label))
  }

  /// Values that no key has, such as an optional that is nil, must not have loads connect without the proxy.
  @Test func proxiesReachTheDaemonBesideValuesWithoutMeaning() throws {
    let sent = URLSessionConfiguration.background(withIdentifier: "trip")
    let user: String? = nil
    sent.connectionProxyDictionary = [
      "HTTPSEnable": true, "HTTPSProxy": "p.test", "HTTPSPort": 8080, "kCFProxyUsernameKey": user as Any, "ExceptionsList": ["a.test"],
    ]
    let got = try #require(BackgroundConfiguration(encoded: BackgroundConfiguration(sent).encoded)).make(for: ConfigurationTripTests.app)
    for configuration in [sent, got] {
      for (host, way) in [("a.test", Route.direct), ("b.test", .tunnel(Proxy(.http, host: "p.test", port: 8080)))] {
        guard case .routes(let routes) = try ProxySettings(configuration).choice(for: Origin(scheme: "https", host: host, port: 443)) else {
          Issue.record("a script")
          continue
        }
        #expect(routes == [way])
      }
    }
  }

  @Test func listOfSecureHostsIsReadAgain() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "hosts-\(UUID().uuidString)")
    try Data("a.test\n".utf8).write(to: file)
    let sent = URLSessionConfiguration.background(withIdentifier: "trip")
    sent.secureHosts = try URLSessionSecureHosts(contentsOf: file)
    let encoded = BackgroundConfiguration(sent).encoded
    #expect(BackgroundConfiguration(encoded: encoded)?.make(for: ConfigurationTripTests.app).secureHosts == sent.secureHosts)
    try FileManager.default.removeItem(at: file)
    #expect(BackgroundConfiguration(encoded: encoded)?.make(for: ConfigurationTripTests.app).secureHosts == nil)
  }

  @Test func listOfLogsIsReadAgain() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "logs-\(UUID().uuidString)")
    // SHA-256 of nothing.
    let log =
      "{\"log_id\":\"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\",\"key\":\"\",\"state\":{\"usable\":{\"timestamp\":\"2026-01-01T00:00:00Z\"}}}"
    try Data("{\"operators\":[{\"name\":\"a\",\"logs\":[\(log)]}]}".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let sent = URLSessionConfiguration.background(withIdentifier: "trip")
    sent.certificateTransparencyLogs = try URLSessionCertificateTransparencyLogs(contentsOf: file)
    #expect(sent.certificateTransparencyLogs?.count == 1)
    var security = URLSessionAppTransportSecurity()
    security.exceptionDomains["a.test"] = .init()
    security.exceptionDomains["a.test"]?.requiresCertificateTransparency = true
    sent.appTransportSecurity = security
    let made = BackgroundConfiguration(encoded: BackgroundConfiguration(sent).encoded)?.make(for: ConfigurationTripTests.app)
    #expect(made?.certificateTransparencyLogs == sent.certificateTransparencyLogs)
    #expect(made?.appTransportSecurity == security)
    #expect(SessionSettings.make(sent).tls.transparencyLogs?.count == 1)
    #expect(throws: CocoaError.self) { try URLSessionCertificateTransparencyLogs(data: Data("{}".utf8)) }
  }

  @Test func revocationListsAreReadAgain() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "list-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    // Of openssl, without an entry.
    let list =
      "MIGlME0CAQEwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBYRcNMjYxMTI2MDUzMDE4WhgPMjEyNTA2MjAwNTMwMThaoA4wDDAKBgNVHRQEAwIBAT"
      + "AKBggqhkjOPQQDAgNIADBFAiEA1D6TY/MMOm2OTbsG7BR2qs76pBhxLVmCAdtrDiNFtycCID9kFR3y6yU3UQcW3hWeyikXqd5pdsvb7lSb4dRO"
      + "0gRQ"
    try #require(Data(base64Encoded: list)).write(to: file)
    let sent = URLSessionConfiguration.background(withIdentifier: "trip")
    sent.revocationLists = try URLSessionRevocationLists(contentsOf: file)
    let made = BackgroundConfiguration(encoded: BackgroundConfiguration(sent).encoded)?.make(for: ConfigurationTripTests.app)
    #expect(made?.revocationLists?.count == 1 && made?.revocationLists == sent.revocationLists)
    #expect(SessionSettings.make(sent).tls.revocationLists?.count == 1)
  }

  @Test func whatAnEarlierVersionDidNotSendIsAsItIsAtFirst() throws {
    let encoded = BackgroundConfiguration(.background(withIdentifier: "trip")).encoded
    var values = try #require(try JSONSerialization.jsonObject(with: encoded) as? [String: Any])
    values["enablesEarlyData"] = nil
    values["serviceType"] = 99
    let read = try #require(BackgroundConfiguration(encoded: JSONSerialization.data(withJSONObject: values)))
    let got = read.make(for: ConfigurationTripTests.app)
    #expect(!got.enablesEarlyData && got.networkServiceType == .default)
  }
}
