import CLoadingBoringSSL
import Foundation
import LoadingModel
import NIOSSL
import ProtocolRules

/// A session's settings for TLS connections.
package struct TLSSettings: Sendable, Hashable {
  /// The lowest and highest TLS versions as wire numbers, 0x0301 (TLS 1.0) to 0x0304 (TLS 1.3).
  package var minimumVersion: UInt16
  package var maximumVersion: UInt16
  /// Certificate authorities, in PEM, that are trusted in addition to those of `trustStoreSource`.
  package var additionalRoots: [Data]
  /// Where the other trust anchors are read from: the system's bundle, or files that the environment names.
  package var trustStoreSource: TrustStoreSource
  /// The file that secrets are logged to; nil for none.
  package var keyLog: String?
  package var keyExchange = TLSPolicy.KeyExchange.any
  /// Whether Encrypted Client Hello is used.
  package var encryptedHello = EncryptedHelloPlan.Mode.automatic
  /// The Certificate Transparency logs whose timestamps count, for policies that require transparency; nil if none are known.
  package var transparencyLogs: TransparencyLogs?
  /// The lists of revoked certificates (CRLs); nil if there are none.
  package var revocationLists: RevocationLists?
  /// What the client offers by ALPN (RFC 7301), best first.
  package var applicationProtocols = ["http/1.1"]

  package init(
    minimumVersion: UInt16, maximumVersion: UInt16, additionalRoots: [Data] = [], trustStoreSource: TrustStoreSource = .system
  ) {
    self.minimumVersion = minimumVersion
    self.maximumVersion = maximumVersion
    self.additionalRoots = additionalRoots
    self.trustStoreSource = trustStoreSource
  }

  /// These settings, restricted by an origin's policy.
  func applying(_ policy: TLSPolicy) -> TLSSettings {
    guard policy != .none else { return self }
    var settings = self
    settings.minimumVersion = max(minimumVersion, policy.minimumVersion)
    if case .forwardSecret = policy.keyExchange { settings.keyExchange = .forwardSecret }
    return settings
  }

  /// Whether `trustStore` is in memory and reads no file.
  var isTrustStoreRead: Bool { TrustStore.isKnown(trustStoreSource, adding: additionalRoots) }

  /// The trust anchors. The first call for a source reads them from files.
  package func trustStore() throws(LoadError) -> TrustStore {
    try TrustStore.store(trustStoreSource, adding: additionalRoots).looking(into: revocationLists)
  }
}

/// TLS contexts by their settings.
///
/// Contexts hold no tickets, so sharing them shares no TLS session between URL sessions.
package final class TLSContexts: Sendable {
  package static let shared = TLSContexts()

  private let contexts = Mutex(BoundedTable<TLSSettings, NIOSSLContext>(limit: limit))

  package func context(for settings: TLSSettings) throws(LoadError) -> NIOSSLContext {
    if let known = contexts.withLock({ $0.use(settings) }) { return known }
    let context = try TLSContexts.make(settings)
    contexts.withLock { $0[settings] = context }
    return context
  }

  /// The most contexts that are kept.
  private static let limit = 64

  /// Creates a context. One with `onCertificateRequest`, which is called when the server requests a client certificate, is for a single connection.
  ///
  /// NIOSSL's check of the host name is off and its trust store is replaced, as `TLSSessionSlot` evaluates the chain.
  static func make(_ settings: TLSSettings, onCertificateRequest: NIOSSLContextCallback? = nil) throws(LoadError) -> NIOSSLContext {
    let store = try settings.trustStore()
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = version(settings.minimumVersion) ?? .tlsv12
    configuration.maximumTLSVersion = version(settings.maximumVersion)
    configuration.applicationProtocols = settings.applicationProtocols
    configuration.certificateVerification = .noHostnameVerification
    configuration.trustRoots = .certificates([])
    configuration.sslContextCallback = onCertificateRequest
    if case .forwardSecret = settings.keyExchange { configuration.cipherSuites = forwardSecretSuites }
    do {
      let context = try NIOSSLContext(configuration: configuration)
      guard let pointer = BoringSSLPointer.context(of: context) else { throw layoutError }
      uls_tls_context_set_store(pointer, store.pointer)
      uls_tls_context_enable_tickets(pointer, TLSSessionSlot.receiveTicket)
      if let file = settings.keyLog.flatMap({ KeyLogFile.file(at: $0) }) { uls_tls_context_log_keys(pointer, file.descriptor) }
      return context
    } catch {
      let cause = (error as? LoadError)?.message ?? "\(error)"
      throw LoadError(.secureConnectionFailed, .secure, "TLS could not be set up: \(cause)")
    }
  }

  /// TLS 1.2 with an ephemeral key exchange (RFC 7525, 4.2).
  private static let forwardSecretSuites = "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES"

  /// The error if BoringSSL's objects aren't found in NIOSSL's: without them the server's trust can't be evaluated, so no connection is made.
  static let layoutError = LoadError(
    .secureConnectionFailed, .secure, "this version of NIOSSL isn't known to URLLoadingSystem; use the one it was released with")

  private static func version(_ number: UInt16) -> TLSVersion? {
    switch number {
    case 0x0301: .tlsv1
    case 0x0302: .tlsv11
    case 0x0303: .tlsv12
    case 0x0304: .tlsv13
    default: nil
    }
  }
}

/// Finds BoringSSL's objects in NIOSSL's private properties by reflection.
///
/// NIOSSL has no API for client session tickets, the cipher suite or trust evaluation. If NIOSSL's layout changes, the functions return nil, and
/// TLS connections fail.
package enum BoringSSLPointer {
  package static func context(of context: NIOSSLContext) -> UnsafeMutableRawPointer? {
    pointer(labelled: "sslContext", in: Mirror(reflecting: context))
  }

  static func connection(of handler: NIOSSLClientHandler) -> UnsafeMutableRawPointer? {
    var mirror: Mirror? = Mirror(reflecting: handler)
    while let current = mirror {
      if let connection = current.children.first(where: { $0.label == "connection" })?.value {
        return pointer(labelled: "ssl", in: Mirror(reflecting: connection))
      }
      mirror = current.superclassMirror
    }
    return nil
  }

  private static func pointer(labelled label: String, in mirror: Mirror) -> UnsafeMutableRawPointer? {
    guard let value = mirror.children.first(where: { $0.label == label })?.value as? OpaquePointer else { return nil }
    return UnsafeMutableRawPointer(value)
  }
}
