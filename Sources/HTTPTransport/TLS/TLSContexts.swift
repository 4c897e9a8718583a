import CLoadingBoringSSL
import Foundation
import LoadingModel
import NIOSSL
import ProtocolRules

/// What a session asks of TLS.
package struct TLSSettings: Sendable, Hashable {
  /// Wire numbers, 0x0301…0x0304.
  package var minimumVersion: UInt16
  package var maximumVersion: UInt16
  /// Certificate authorities trusted beside the system's, as PEM.
  package var additionalRoots: [Data]
  /// What is trusted beside `additionalRoots`.
  package var trustStoreSource: TrustStoreSource
  /// The file that secrets are logged to; nil for none.
  package var keyLog: String?
  package var keyExchange = TLSPolicy.KeyExchange.any
  /// Whether ClientHellos are encrypted.
  package var encryptedHello = EncryptedHelloPlan.Mode.automatic
  /// The logs that show that certificates have been published, where a policy requires it.
  package var transparencyLogs: TransparencyLogs?
  /// Lists of revoked certificates.
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

  /// The settings for one origin.
  func applying(_ policy: TLSPolicy) -> TLSSettings {
    guard policy != .none else { return self }
    var settings = self
    settings.minimumVersion = max(minimumVersion, policy.minimumVersion)
    if case .forwardSecret = policy.keyExchange { settings.keyExchange = .forwardSecret }
    return settings
  }

  /// Whether `trustStore` need not read a file any more.
  var isTrustStoreRead: Bool { TrustStore.isKnown(trustStoreSource, adding: additionalRoots) }

  /// The anchors of trust evaluation. The first call for a source reads it.
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

  /// Contexts that are kept.
  private static let limit = 64

  /// A context of one connection's own: `onCertificateRequest` is asked when the server wants a client certificate.
  ///
  /// NIOSSL's check of the peer is off for the host name, and its store is replaced: `TLSSessionSlot` evaluates the chain.
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

  /// Without BoringSSL's objects the server's trust can't be evaluated: no connection rather than an unevaluated one.
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

/// Finds BoringSSL's objects behind NIOSSL's.
///
/// NIOSSL has no API for client session tickets, the cipher suite or the evaluation of trust. Where its layout should change, these
/// answer nil, and TLS connections fail.
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
