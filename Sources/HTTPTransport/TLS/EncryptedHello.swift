import CLoadingBoringSSL
import LoadingModel
import ProtocolRules

/// Encrypted Client Hello (RFC 9849) in the handshakes of one connection attempt: `EncryptedHelloPlan` decides what to offer, BoringSSL encrypts.
///
/// Owned by the attempt's opener, and by the slots of its handshakes; confined to their event loop.
package final class EncryptedHello {
  private let mode: EncryptedHelloPlan.Mode
  private var plan: EncryptedHelloPlan
  /// Whether a server was unable to decrypt the ClientHello.
  private(set) var wasRejected = false
  /// Whether another connection has to be made because of that (RFC 9849, 6.1.6).
  private(set) var retries = false

  package init(_ mode: EncryptedHelloPlan.Mode) {
    self.mode = mode
    plan = EncryptedHelloPlan(mode)
  }

  /// For a connection to a server whose keys aren't looked up, such as a proxy.
  package static func withoutKeys(_ settings: TLSSettings) -> EncryptedHello {
    EncryptedHello(settings.encryptedHello == .off ? .off : .automatic)
  }

  var isRequired: Bool { mode == .required }

  /// Whether the next handshake is the second of the attempt, after the first server has rejected the encrypted ClientHello.
  var isAgain: Bool { plan.isAgain }

  /// Sets the keys for the first handshake; nil if none are known.
  func found(_ keys: EncryptedHelloKeys?) { plan.found(keys) }

  /// Throws if encryption is required and no keys are known.
  func check(_ origin: Origin) throws(LoadError) {
    guard !plan.isAllowed else { return }
    throw LoadError(
      .secureConnectionFailed, .secure,
      "no keys are known to encrypt the client hello for “\(origin.host)”, and encryptedClientHello is .required: its HTTPS records have none, "
        + "or the resolver, or a proxy, keeps them from being asked for; use .automatic to connect nevertheless")
  }

  /// Configures a new SSL object for what its handshake offers: nothing, GREASE or an encrypted ClientHello.
  func begin(_ ssl: UnsafeMutableRawPointer) {
    switch plan.offer {
    case .nothing: break
    case .grease: uls_tls_grease_hello(ssl)
    case .keys(let keys):
      keys.bytes.withUnsafeBufferPointer {
        uls_tls_encrypt_hello(ssl, uls_tls_bytes(data: $0.baseAddress, length: $0.count), isRequired ? 1 : 0)
      }
      uls_tls_grease_hello(ssl)
    }
  }

  /// The public name, if the server hasn't decrypted the ClientHello: its certificate must be valid for that name, in place of the origin's. nil if
  /// it has decrypted it, or none was encrypted.
  func publicName(_ ssl: UnsafeMutableRawPointer) -> String? {
    let name = uls_tls_public_name(ssl)
    guard name.length > 0 else { return nil }
    wasRejected = true
    return String(decoding: UnsafeBufferPointer(start: name.data, count: name.length), as: UTF8.self)
  }

  /// The error of a handshake that BoringSSL has ended because the server, whose certificate is valid for the public name, hasn't decrypted the
  /// ClientHello. Decides whether to retry.
  func rejected(_ ssl: UnsafeMutableRawPointer, for origin: Origin) -> LoadError {
    let name = publicName(ssl) ?? ""
    let list = uls_tls_retry_configurations(ssl)
    let verdict = plan.rejected(Array(UnsafeBufferPointer(start: list.data, count: list.length)))
    retries = verdict != .fail
    let text =
      switch verdict {
      case .retryByKeys: "the server “\(name)” doesn't decrypt the client hello, and has sent other keys"
      case .retryInTheClear: "the server “\(name)” doesn't decrypt client hellos"
      case .fail where isRequired && list.length == 0:
        "the server “\(name)” doesn't decrypt client hellos, and encryptedClientHello is .required; use .automatic to connect nevertheless"
      case .fail:
        "the server “\(name)” has rejected the encrypted client hello for “\(origin.host)” twice, although it has sent the keys itself; try again "
          + "later, or set encryptedClientHello to .off"
      }
    return LoadError(.secureConnectionFailed, .secure, text)
  }

  /// The result of Encrypted Client Hello in the successful handshake of `ssl`.
  func use(_ ssl: UnsafeMutableRawPointer) -> EncryptedHelloUse { plan.use(uls_tls_hello_was_accepted(ssl) != 0) }
}
