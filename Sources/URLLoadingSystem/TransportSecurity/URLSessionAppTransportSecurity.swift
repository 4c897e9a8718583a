import Foundation
import LoadingModel
import ProtocolRules

/// App Transport Security: which connections an app may make. These are the settings that Apple's platforms read from the key
/// `NSAppTransportSecurity` of an app's Info.plist.
///
/// This type is an addition: on Apple's platforms the Info.plist is the only place for the settings. Here it is one of three, see ``current``. The
/// default value protects fully: hosts with a public name or address are reached by TLS only, of version 1.2 or newer and with forward secrecy.
/// Unqualified names, names under `.local` and addresses of local networks aren't covered, as on iOS 10 and macOS 10.12 or later.
public struct URLSessionAppTransportSecurity: Sendable, Hashable {
  /// The settings that differ for one domain: an entry of `NSExceptionDomains`.
  ///
  /// A listed domain starts from full protection: the settings that allow loads of all hosts don't apply to it.
  public struct ExceptionDomain: Sendable, Hashable {
    /// Whether the entry applies to the domain's subdomains too. No effect on addresses. Key: `NSIncludesSubdomains`. Default: false.
    public var includesSubdomains = false
    /// Whether http is allowed, and a delegate may accept a server whose certificate isn't trusted. The requirements for TLS connections stay. Key:
    /// `NSExceptionAllowsInsecureHTTPLoads`. Default: false.
    public var allowsInsecureHTTPLoads = false
    /// The oldest TLS version that is accepted; nil, the default, means TLS 1.2. Key: `NSExceptionMinimumTLSVersion`.
    public var minimumTLSVersion: tls_protocol_version_t?
    /// Whether only cipher suites with forward secrecy (ECDHE) are accepted. Key: `NSExceptionRequiresForwardSecrecy`. Default: true.
    ///
    /// If it is false, Apple's platforms also accept certificates with short keys; here they are always refused.
    public var requiresForwardSecrecy = true
    /// Whether a certificate of a public authority must come with signed timestamps of Certificate Transparency logs (RFC 6962). The accepted logs
    /// are those of ``URLSessionConfiguration/certificateTransparencyLogs``; without any, such certificates aren't trusted. Authorities that the app,
    /// the user or the machine's administrator has added are exempt. Key: `NSRequiresCertificateTransparency`. Default: false.
    public var requiresCertificateTransparency = false

    /// Full protection: no exception for the domain.
    public init() {}
  }

  /// The public keys that must occur in a domain's certificates: an entry of `NSPinnedDomains`.
  ///
  /// An identity is the SHA-256 hash, 32 bytes, of a public key: of its SubjectPublicKeyInfo in DER. If both sets have entries, one of each must
  /// match. Pins are checked whatever the other settings allow.
  public struct PinnedDomain: Sendable, Hashable {
    /// Whether the pins apply to the domain's subdomains too. Key: `NSIncludesSubdomains`. Default: false.
    public var includesSubdomains = false
    /// Key hashes of authorities, intermediate or root, one of which must be in the chain. Key: `NSPinnedCAIdentities`. Default: none.
    public var caIdentities: Set<Data> = []
    /// Key hashes of the server's own certificate, one of which it must have. Key: `NSPinnedLeafIdentities`. Default: none.
    public var leafIdentities: Set<Data> = []

    /// A domain without pins.
    public init() {}
  }

  /// Whether only the hosts listed in ``exceptionDomains`` are protected, and all others may be loaded from without TLS. Key:
  /// `NSAllowsArbitraryLoads`. Default: false.
  ///
  /// No effect if one of the next three properties isn't nil, whatever its value.
  public var allowsArbitraryLoads = false
  /// Key: `NSAllowsArbitraryLoadsForMedia`. It allows nothing here, as no system framework plays media; if it isn't nil, `allowsArbitraryLoads` has
  /// no effect.
  public var allowsArbitraryLoadsForMedia: Bool?
  /// Key: `NSAllowsArbitraryLoadsInWebContent`. It allows nothing here, as the system has no web views; if it isn't nil, `allowsArbitraryLoads` has
  /// no effect.
  public var allowsArbitraryLoadsInWebContent: Bool?
  /// Whether IP addresses of any kind may be loaded from without TLS; local names and local addresses may be in any case. Key:
  /// `NSAllowsLocalNetworking`. Default: nil, the key is absent.
  public var allowsLocalNetworking: Bool?
  /// Settings that differ for single domains, by name ("example.com"), address, or network ("203.0.113.0/24"). Default: none. Key:
  /// `NSExceptionDomains`.
  public var exceptionDomains: [String: ExceptionDomain] = [:]
  /// The public keys that certificates must have, by domain. Default: none. Key: `NSPinnedDomains`.
  public var pinnedDomains: [String: PinnedDomain] = [:]
  /// Why the property list named by the environment couldn't be read; nil if there was no problem. Errors of refused loads contain it.
  var unreadableSource: String?

  /// Full protection: no exceptions and no pins.
  public init() {}

  /// The settings for sessions that are made from now on; nil: App Transport Security isn't in force.
  ///
  /// From the beginning it is in force for an app, which is a program whose main bundle has an Info.plist, with that file's `NSAppTransportSecurity`;
  /// it isn't for a bare executable, as on macOS. The environment variable `URL_LOADING_SYSTEM_ATS` overrides that: `on` and `off` switch it, any
  /// other value is the path of a property list, either an Info.plist or the dictionary alone. If the list can't be read, full protection is in force
  /// and errors say why.
  ///
  /// A session keeps the settings that it was made with. ``URLSessionConfiguration/appTransportSecurity`` sets them for single sessions.
  public static var current: URLSessionAppTransportSecurity? {
    get { process.withLock { $0 } }
    set { process.withLock { $0 = newValue } }
  }

  private static let process = Mutex(
    URLSessionAppTransportSecurity.initial(
      environment: ProcessEnvironment.variables, information: Bundle.main.infoDictionary ?? [:]))

  /// The settings at the start of a process, from its environment and its main bundle.
  ///
  /// - Parameter information: The contents of the main bundle's Info.plist; empty if it has none.
  static func initial(environment: [String: String], information: [String: Any]) -> URLSessionAppTransportSecurity? {
    let fromBundle = URLSessionAppTransportSecurity(propertyList: information[key] as? [String: Any] ?? [:])
    guard let wish = environment["URL_LOADING_SYSTEM_ATS"], !wish.isEmpty else { return information.isEmpty ? nil : fromBundle }
    switch wish.lowercased() {
    case "off", "no", "false", "0": return nil
    case "on", "yes", "true", "1": return fromBundle
    default: break
    }
    do {
      return try URLSessionAppTransportSecurity(contentsOf: URL(filePath: wish))
    } catch {
      var full = URLSessionAppTransportSecurity()
      full.unreadableSource = "URL_LOADING_SYSTEM_ATS names \(wish), which can't be read as a property list"
      return full
    }
  }
}
