import Foundation
import Testing

@testable import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct AppTransportSecurityTests {
  /// An Info.plist's text around the contents of its NSAppTransportSecurity.
  private func settings(_ contents: String) throws -> URLSessionAppTransportSecurity {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>org.example.app</string>
      <key>NSAppTransportSecurity</key><dict>\(contents)</dict></dict></plist>
      """
    let file = FileManager.default.temporaryDirectory.appending(path: "ats-\(UUID().uuidString).plist")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try URLSessionAppTransportSecurity(contentsOf: file)
  }

  /// Every key that there is, with a pin of this hash.
  private func everyKey(_ hash: Data) -> String {
    let identity = "<array><dict><key>SPKI-SHA256-BASE64</key><string>\(hash.base64EncodedString())</string></dict></array>"
    return """
      <key>NSAllowsArbitraryLoads</key><true/>
      <key>NSAllowsArbitraryLoadsForMedia</key><false/>
      <key>NSAllowsArbitraryLoadsInWebContent</key><true/>
      <key>NSAllowsLocalNetworking</key><true/>
      <key>NSExceptionDomains</key><dict>
        <key>example.com</key><dict>
          <key>NSIncludesSubdomains</key><true/>
          <key>NSExceptionAllowsInsecureHTTPLoads</key><true/>
          <key>NSExceptionMinimumTLSVersion</key><string>TLSv1.1</string>
          <key>NSExceptionRequiresForwardSecrecy</key><false/>
          <key>NSRequiresCertificateTransparency</key><true/>
        </dict>
        <key>old.example</key><dict>
          <key>NSThirdPartyExceptionAllowsInsecureHTTPLoads</key><true/>
          <key>NSTemporaryExceptionMinimumTLSVersion</key><string>TLSv1.0</string>
        </dict>
        <key>plain.example</key><dict/>
      </dict>
      <key>NSPinnedDomains</key><dict>
        <key>pinned.example</key><dict>
          <key>NSIncludesSubdomains</key><true/>
          <key>NSPinnedCAIdentities</key>\(identity)
          <key>NSPinnedLeafIdentities</key>\(identity)
        </dict>
      </dict>
      """
  }

  @Test func everyKeyOfAnInfoPlistIsRead() throws {
    let hash = Data(repeating: 7, count: 32)
    var expected = URLSessionAppTransportSecurity()
    expected.allowsArbitraryLoads = true
    expected.allowsArbitraryLoadsForMedia = false
    expected.allowsArbitraryLoadsInWebContent = true
    expected.allowsLocalNetworking = true
    var entry = URLSessionAppTransportSecurity.ExceptionDomain()
    entry.includesSubdomains = true
    entry.allowsInsecureHTTPLoads = true
    entry.minimumTLSVersion = .TLSv11
    entry.requiresForwardSecrecy = false
    entry.requiresCertificateTransparency = true
    var old = URLSessionAppTransportSecurity.ExceptionDomain()
    old.allowsInsecureHTTPLoads = true
    old.minimumTLSVersion = .TLSv10
    expected.exceptionDomains = ["example.com": entry, "old.example": old, "plain.example": .init()]
    var pins = URLSessionAppTransportSecurity.PinnedDomain()
    pins.includesSubdomains = true
    pins.caIdentities = [hash]
    pins.leafIdentities = [hash]
    expected.pinnedDomains = ["pinned.example": pins]
    #expect(try settings(everyKey(hash)) == expected)
  }

  @Test func logsOfTransparencyAreReadWhereAnEntryRequiresIt() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "logs-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(URLSessionCertificateTransparencyLogs.named(nil) == nil && URLSessionCertificateTransparencyLogs.named("") == nil)
    #expect(URLSessionCertificateTransparencyLogs.named(file.path(percentEncoded: false)) == nil)
    // SHA-256 of nothing.
    let log = "{\"log_id\":\"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\",\"key\":\"\",\"state\":{\"usable\":{}}}"
    try Data("{\"operators\":[{\"name\":\"a\",\"logs\":[\(log)]}]}".utf8).write(to: file)
    let logs = try #require(URLSessionCertificateTransparencyLogs.named(file.path(percentEncoded: false)))
    #expect(logs.count == 1)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.certificateTransparencyLogs = logs
    #expect(configuration.effectiveTransparencyLogs == nil && SessionSettings.make(configuration).tls.transparencyLogs == nil)
    var security = URLSessionAppTransportSecurity()
    security.exceptionDomains["a.example"] = .init()
    configuration.appTransportSecurity = security
    #expect(configuration.effectiveTransparencyLogs == nil)
    security.exceptionDomains["a.example"]?.requiresCertificateTransparency = true
    configuration.appTransportSecurity = security
    #expect(configuration.effectiveTransparencyLogs == logs && SessionSettings.make(configuration).tls.transparencyLogs != nil)
  }

  @Test func malformedEntriesNeverWeakenProtection() {
    let settings = URLSessionAppTransportSecurity(propertyList: [
      "NSAllowsArbitraryLoads": ["not", "a", "flag"],
      "NSExceptionDomains": ["a.example": "no dictionary", "b.example": ["NSExceptionMinimumTLSVersion": "SSLv3"]],
      "NSPinnedDomains": [
        "a.example": ["NSPinnedLeafIdentities": [["SPKI-SHA256-BASE64": "too short"]]],
        "b.example": ["NSPinnedCAIdentities": "no list"],
      ],
    ])
    #expect(!settings.allowsArbitraryLoads)
    #expect(settings.exceptionDomains == ["a.example": .init(), "b.example": .init()])
    // Nothing has the empty hash: such pins match nothing.
    #expect(settings.pinnedDomains["a.example"]?.leafIdentities == [Data()])
    #expect(settings.pinnedDomains["b.example"]?.caIdentities == [Data()])
  }

  @Test func isInForceForAnAppAndNotForABareExecutable() {
    #expect(URLSessionAppTransportSecurity.initial(environment: [:], information: [:]) == nil)
    #expect(
      URLSessionAppTransportSecurity.initial(environment: [:], information: ["CFBundleName": "App"]) == URLSessionAppTransportSecurity())
    let lifted = URLSessionAppTransportSecurity.initial(
      environment: [:], information: ["NSAppTransportSecurity": ["NSAllowsArbitraryLoads": true]])
    #expect(lifted?.allowsArbitraryLoads == true)
  }

  @Test func environmentDecidesOtherwise() throws {
    func initial(_ wish: String, _ information: [String: Any] = [:]) -> URLSessionAppTransportSecurity? {
      URLSessionAppTransportSecurity.initial(environment: ["URL_LOADING_SYSTEM_ATS": wish], information: information)
    }
    let information = ["NSAppTransportSecurity": ["NSAllowsArbitraryLoads": true]]
    #expect(initial("on") == URLSessionAppTransportSecurity())
    #expect(initial("on", information)?.allowsArbitraryLoads == true)
    #expect(initial("OFF", information) == nil)
    #expect(initial("", information)?.allowsArbitraryLoads == true)
    let file = FileManager.default.temporaryDirectory.appending(path: "ats-\(UUID().uuidString).plist")
    try PropertyListSerialization.data(fromPropertyList: ["NSAllowsLocalNetworking": true], format: .binary, options: 0).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(initial(file.path)?.allowsLocalNetworking == true)
  }

  @Test func settingsThatCannotBeReadProtectFullyAndSaySo() throws {
    let settings = URLSessionAppTransportSecurity.initial(environment: ["URL_LOADING_SYSTEM_ATS": "/nowhere/at/all"], information: [:])
    let refusal = try #require(settings?.policy.cleartextRefusal(for: "example.com"))
    #expect(refusal.contains("URL_LOADING_SYSTEM_ATS names /nowhere/at/all"))
  }

  @Test func domainsAreComparedInTheirASCIIForm() {
    var (settings, entry) = (URLSessionAppTransportSecurity(), URLSessionAppTransportSecurity.ExceptionDomain())
    entry.allowsInsecureHTTPLoads = true
    settings.exceptionDomains["bücher.example"] = entry
    #expect(settings.policy.cleartextRefusal(for: "xn--bcher-kva.example") == nil)
  }

  @Test func versionsThatAreNotTLSAreLeftAside() {
    var (settings, entry) = (URLSessionAppTransportSecurity(), URLSessionAppTransportSecurity.ExceptionDomain())
    entry.minimumTLSVersion = .DTLSv12
    settings.exceptionDomains["a.example"] = entry
    #expect(settings.policy.tlsPolicy(for: "a.example", sessionMinimum: 0x0303).minimumVersion == 0x0303)
  }
}
