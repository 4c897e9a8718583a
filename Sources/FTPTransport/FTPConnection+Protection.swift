import HTTPTransport
import LoadingModel
import ProtocolRules

/// FTP over TLS: AUTH, PBSZ and PROT (RFC 4217).
extension FTPConnection {
  /// Encrypts the control connection by AUTH TLS (RFC 4217, 4).
  package func beginTLS() async throws(LoadError) {
    let reply = try await ask(FTPCommand("AUTH TLS"))
    guard reply.code == 234 else { throw FTPRefusal.error(reply, at: .security) }
    // Bytes that arrived unencrypted behind the server's consent may be an attacker's.
    guard parser.isEmpty, control?.hasUnreadBytes == false else {
      throw LoadError(.secureConnectionFailed, .secure, "the server spoke on before the connection was secured")
    }
    try await secureControl()
  }

  /// Has the data connections encrypted by PBSZ and PROT (RFC 4217, 9).
  package func protectData() async throws(LoadError) {
    _ = try await ask(FTPCommand("PBSZ 0"))
    let reply = try await ask(FTPCommand("PROT P"))
    guard reply.isCompletion else { throw FTPRefusal.error(reply, at: .security) }
  }

  func secureControl() async throws(LoadError) {
    guard let control else { throw lost }
    timings.secureStart = load.clock.now
    let security = try ChannelSecurity(terms, tickets: tickets, load)
    security.tellHandshake(timings)
    try await control.secure(security)
    timings.secureEnd = load.clock.now
  }
}
