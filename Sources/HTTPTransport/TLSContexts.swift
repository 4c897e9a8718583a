import CTLSSession
import Foundation
import LoadingModel
import NIOSSL

/// What a session asks of TLS.
package struct TLSSettings: Sendable, Hashable {
  /// Wire numbers, 0x0301…0x0304.
  package var minimumVersion: UInt16
  package var maximumVersion: UInt16
  /// Certificate authorities trusted beside the system's, as PEM.
  package var additionalRoots: [Data]
  /// A PEM bundle that replaces the system's trust store (`SSL_CERT_FILE`).
  package var trustStoreFile: String?

  package init(minimumVersion: UInt16, maximumVersion: UInt16, additionalRoots: [Data] = [], trustStoreFile: String? = nil) {
    self.minimumVersion = minimumVersion
    self.maximumVersion = maximumVersion
    self.additionalRoots = additionalRoots
    self.trustStoreFile = trustStoreFile
  }
}

/// TLS contexts by their settings: the trust store is parsed once per process and setting, not once per connection.
///
/// Contexts hold no tickets, so sharing them shares no TLS session between URL sessions.
package final class TLSContexts: Sendable {
  package static let shared = TLSContexts()

  private let contexts = Mutex<[TLSSettings: NIOSSLContext]>([:])

  package func context(for settings: TLSSettings) throws(LoadError) -> NIOSSLContext {
    let result = contexts.withLock { contexts -> Result<NIOSSLContext, LoadError> in
      if let known = contexts[settings] { return .success(known) }
      do {
        let context = try TLSContexts.make(settings)
        contexts[settings] = context
        return .success(context)
      } catch {
        let cause = (error as? LoadError)?.message ?? "\(error)"
        return .failure(LoadError(.secureConnectionFailed, .secure, "TLS could not be set up: \(cause)"))
      }
    }
    return try result.get()
  }

  private static func make(_ settings: TLSSettings) throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = version(settings.minimumVersion) ?? .tlsv12
    configuration.maximumTLSVersion = version(settings.maximumVersion)
    configuration.applicationProtocols = ["http/1.1"]
    if let file = settings.trustStoreFile { configuration.trustRoots = .file(file) }
    for pem in settings.additionalRoots {
      configuration.additionalTrustRoots.append(.certificates(try NIOSSLCertificate.fromPEMBytes(Array(pem))))
    }
    let context = try NIOSSLContext(configuration: configuration)
    if let pointer = BoringSSLPointer.context(of: context) {
      ctls_context_enable_tickets(pointer, TLSSessionSlot.receiveTicket)
    }
    return context
  }

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
/// NIOSSL has no API for client session tickets, the cipher suite or the reason of a refusal. Where its layout should change, these
/// answer nil, and connections lack resumption and those details but work.
enum BoringSSLPointer {
  static func context(of context: NIOSSLContext) -> UnsafeMutableRawPointer? {
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
