import Foundation
import LoadingModel
import ProtocolRules

/// App Transport Security: what connections an app may make. The settings that Apple's platforms read from the key
/// `NSAppTransportSecurity` of an app's Info.plist.
///
/// This type is an addition: on Apple's platforms the Info.plist is the only way to say this. Here it is one of three, see ``current``.
/// A value with the defaults protects fully: hosts with a public name or address are reached by TLS only, of version 1.2 or newer and with
/// forward secrecy. Unqualified names, names under `.local` and addresses of local networks aren't covered, as on iOS 10 and macOS 10.12
/// or later.
public struct URLSessionAppTransportSecurity: Sendable, Hashable {
  /// What is different for one domain: an entry of `NSExceptionDomains`.
  ///
  /// A domain that is listed starts from full protection: nothing that is allowed for all hosts holds for it.
  public struct ExceptionDomain: Sendable, Hashable {
    /// Whether the entry holds for the domain's subdomains too. No effect on addresses. Key: `NSIncludesSubdomains`. Default: false.
    public var includesSubdomains = false
    /// Whether http is allowed, and a delegate may accept a server whose certificate isn't trusted. It leaves the demands on TLS as
    /// they are. Key: `NSExceptionAllowsInsecureHTTPLoads`. Default: false.
    public var allowsInsecureHTTPLoads = false
    /// The oldest TLS version that will do; nil, the default, means TLS 1.2. Key: `NSExceptionMinimumTLSVersion`.
    public var minimumTLSVersion: tls_protocol_version_t?
    /// Whether only suites with forward secrecy (ECDHE) will do. Key: `NSExceptionRequiresForwardSecrecy`. Default: true.
    ///
    /// On Apple's platforms certificates with short keys pass without it; here they are refused everywhere.
    public var requiresForwardSecrecy = true
    /// Whether a certificate of a public authority must come with timestamps of logs that have published it, or will (RFC 6962). The logs are those
    /// of ``URLSessionConfiguration/certificateTransparencyLogs``; without any, such certificates aren't trusted. Authorities that the app, the user
    /// or the machine's administrator has added aren't held to it. Key: `NSRequiresCertificateTransparency`. Default: false.
    public var requiresCertificateTransparency = false

    /// Full protection.
    public init() {}
  }

  /// The keys that a domain's certificates must have: an entry of `NSPinnedDomains`.
  ///
  /// An identity is the SHA-256 hash, 32 bytes, of a public key: of its SubjectPublicKeyInfo in DER. Where both lists have some, one of
  /// each must match. Pins hold whatever else is allowed.
  public struct PinnedDomain: Sendable, Hashable {
    /// Whether the pins hold for the domain's subdomains too. Key: `NSIncludesSubdomains`. Default: false.
    public var includesSubdomains = false
    /// Acceptable authorities, intermediate or root; one of them must be in the chain. Key: `NSPinnedCAIdentities`. Default: none.
    public var caIdentities: Set<Data> = []
    /// Acceptable keys of the server itself. Key: `NSPinnedLeafIdentities`. Default: none.
    public var leafIdentities: Set<Data> = []

    /// No pins.
    public init() {}
  }

  /// Whether no host is protected but those listed in ``exceptionDomains``. Key: `NSAllowsArbitraryLoads`. Default: false.
  ///
  /// Without effect where one of the next three isn't nil.
  public var allowsArbitraryLoads = false
  /// Key: `NSAllowsArbitraryLoadsForMedia`. It allows nothing here, where no system framework plays media.
  public var allowsArbitraryLoadsForMedia: Bool?
  /// Key: `NSAllowsArbitraryLoadsInWebContent`. It allows nothing here, where the system has no web views.
  public var allowsArbitraryLoadsInWebContent: Bool?
  /// Whether addresses of any kind may be loaded from without TLS; local names and addresses may without it.
  /// Key: `NSAllowsLocalNetworking`. Default: nil, the key is absent.
  public var allowsLocalNetworking: Bool?
  /// What is different for single domains, by name ("example.com"), address, or network ("203.0.113.0/24"). Default: none.
  /// Key: `NSExceptionDomains`.
  public var exceptionDomains: [String: ExceptionDomain] = [:]
  /// Public keys to insist on, by domain. Default: none. Key: `NSPinnedDomains`.
  public var pinnedDomains: [String: PinnedDomain] = [:]
  /// Why what was to be read couldn't be.
  var unreadableSource: String?

  /// Full protection.
  public init() {}

  /// What sessions made from now on are held to; nil: App Transport Security isn't in force.
  ///
  /// It is in force from the beginning for an app, which is a program whose main bundle has an Info.plist, with that file's
  /// `NSAppTransportSecurity`; and not for a bare executable, as on macOS. The environment variable `URL_LOADING_SYSTEM_ATS` decides
  /// otherwise: `on` and `off` say so, anything else is the path of a property list, either an Info.plist or the dictionary alone. If it
  /// can't be read, full protection is in force and errors say why.
  ///
  /// A session keeps what it was made with. ``URLSessionConfiguration/appTransportSecurity`` sets it for single sessions.
  public static var current: URLSessionAppTransportSecurity? {
    get { process.withLock { $0 } }
    set { process.withLock { $0 = newValue } }
  }

  private static let process = Mutex(
    URLSessionAppTransportSecurity.initial(
      environment: ProcessEnvironment.variables, information: Bundle.main.infoDictionary ?? [:]))

  /// What is in force at the start of a process.
  ///
  /// - Parameter information: The main bundle's Info.plist; empty where there is none.
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
