import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// Data connections: one for each transfer, to a port that the server opens (passive mode), or else to one that the load opens (active mode).
extension FTPConnection {
  /// The command by which the server is asked to open a port for data.
  enum PassiveMode {
    /// EPSV (RFC 2428), for IPv4 and IPv6.
    case extended
    /// PASV (RFC 959), for IPv4.
    case plain
    /// Neither: active mode, in which the server connects to a port of the load.
    case none
  }

  /// Seconds within which a port announced by EPSV must accept the connection, before PASV is tried.
  private static let patience = 10.0

  /// Prepares the data connection of a transfer: by EPSV, else by PASV, else in active mode (EPRT, PORT).
  package func prepareTransfer() async throws(LoadError) {
    guard let peer = control?.remoteAddress, let address = peer.zonedAddress else { throw lost }
    control?.keepTickets()
    // Through a proxy the data connection is also made to the server's name, as its address here is the proxy's.
    let host = load.terms.route.isDirect ? address : terms.origin.host
    let isVersion6 = load.terms.route.isDirect && peer.protocol == .inet6
    if case .extended = passiveMode, try await enterExtendedPassive(host, canGoOn: !isVersion6) { return }
    if case .plain = passiveMode, !isVersion6, try await enterPassive(host) { return }
    passiveMode = .none
    guard load.terms.route.isDirect else {
      throw LoadError(
        .unsupportedURL, .connect, "the server opens no port for data, and can't connect back through a proxy; exclude it from the proxy")
    }
    try await listen(expecting: peer.ipAddress ?? host)
  }

  /// Connects to a port from EPSV. Returns false if the server doesn't support the command, or if the port can't be reached and PASV can be tried:
  /// some firewalls only let connections pass to ports that they have read in a PASV reply.
  private func enterExtendedPassive(_ host: String, canGoOn: Bool) async throws(LoadError) -> Bool {
    let reply = try await ask(FTPCommand("EPSV"))
    guard let port = FTPAnswers.extendedPassivePort(reply) else {
      try FTPConnection.checkSession(reply)
      passiveMode = .plain
      return false
    }
    do throws(LoadError) {
      data = try await connect(host, port, .data, ConnectTimings(), patience: canGoOn ? FTPConnection.patience : nil)
      return true
    } catch {
      guard canGoOn else { throw error }
      try check()
      load.noteActivity()
      passiveMode = .plain
      return false
    }
  }

  private func enterPassive(_ host: String) async throws(LoadError) -> Bool {
    let reply = try await ask(FTPCommand("PASV"))
    guard let port = FTPAnswers.passivePort(reply) else {
      try FTPConnection.checkSession(reply)
      return false
    }
    data = try await connect(host, port, .data, ConnectTimings())
    return true
  }

  private func listen(expecting host: String) async throws(LoadError) {
    guard let own = control?.localAddress, let address = own.ipAddress else { throw lost }
    let listener = try await FTPListener.open(at: own.zonedAddress ?? address, for: host, load)
    self.listener = listener
    try check()
    let family = own.protocol == .inet6 ? 2 : 1
    let extended = try await ask(FTPCommand("EPRT", "|\(family)|\(address)|\(listener.port)|".utf8))
    if extended.isCompletion { return }
    try FTPConnection.checkSession(extended)
    guard family == 1 else { throw FTPRefusal.error(extended, at: .dataConnection) }
    let numbers = address.replacing(".", with: ",") + ",\(listener.port >> 8),\(listener.port & 0xFF)"
    let reply = try await ask(FTPCommand("PORT", numbers.utf8))
    guard reply.isCompletion else { throw FTPRefusal.error(reply, at: .dataConnection) }
  }

  /// Throws where a refusal is about the session rather than about the command.
  private static func checkSession(_ reply: FTPReply) throws(LoadError) {
    if reply.code == 421 || reply.code == 530 { throw FTPRefusal.error(reply, at: .dataConnection) }
  }

  /// Returns the data connection of a transfer that the server has begun, secured by TLS if the control connection is.
  /// - Parameter step: The purpose of the transfer, for the error if the server refuses it in the end.
  package func transferStream(for step: FTPRefusal.Step) async throws(LoadError) -> FTPStream {
    if let listener {
      data = try await accepted(by: listener, step)
      listener.close()
      self.listener = nil
    }
    try check()
    guard let data else { throw lost }
    if isSecured, !data.isSecured { try await data.secure(ChannelSecurity(terms, tickets: tickets, load)) }
    return data
  }

  /// The server's connection. A server that can't connect says so on the control connection: 425, after its 150.
  private func accepted(by listener: FTPListener, _ step: FTPRefusal.Step) async throws(LoadError) -> FTPStream {
    control?.onArrival = { [weak self, weak listener] in
      guard let self, let listener else { return }
      do throws(LoadError) {
        guard let refusal = try takeEarlyReplies() else { return }
        listener.fail(FTPRefusal.error(refusal, at: step))
      } catch {
        listener.fail(error)
      }
    }
    defer { control?.onArrival = nil }
    control?.onArrival?()
    return try await listener.accepted()
  }

  /// Closes the data connection or listener of a transfer that the server has refused.
  package func dropTransfer() {
    data?.close()
    data = nil
    listener?.close()
    listener = nil
  }
}

extension SocketAddress {
  /// The address with its zone, without which an IPv6 link-local address can't be connected to (RFC 4007, 11).
  var zonedAddress: String? {
    guard case .v6(let address) = self, address.address.sin6_scope_id != 0 else { return ipAddress }
    return ipAddress.map { "\($0)%\(address.address.sin6_scope_id)" }
  }
}
