import HTTPPolicy
import HTTPTransport
import LoadingModel
import NIOCore

/// One FTP session with a server: a control connection, and a data connection while something is transferred.
///
/// Serves one load, which owns it, and is what the load waits on. Confined to the event loop.
package final class FTPConnection: Interruptible, @unchecked Sendable {
  // @unchecked: confined to the load's event loop.

  package let load: LoadContext
  private let terms: ChannelSecurity.Terms
  private let dialer: SocketDialer
  /// Of this session alone: servers want the data connection to resume the control connection's TLS session, and no other.
  private let tickets = TLSTicketStore()
  package let timings = ConnectTimings()
  private var parser = FTPReplyParser()
  private var control: FTPStream?
  private var data: FTPStream?
  private var listener: FTPListener?
  private var sockets: [any Channel] = []
  private var dialing: EventLoopPromise<any Channel>?
  private var failure: LoadError?
  private var refusesExtendedPassive = false
  /// Preliminary replies to one command.
  private static let preliminaryLimit = 16

  package init(_ load: LoadContext, _ terms: ChannelSecurity.Terms) {
    self.load = load
    self.terms = terms
    dialer = SocketDialer(executor: load.executor, clock: load.clock)
  }

  package var isSecured: Bool { control?.isSecured ?? false }
  package var facts: ConnectionFacts? { control?.facts }

  // MARK: the control connection

  /// Connects, secures the connection at once if that is what the scheme means, and takes the greeting.
  package func open(isSecuredAtOnce: Bool) async throws(LoadError) -> FTPReply {
    let stream = try await dial(terms.origin.host, terms.origin.port, .control, timings)
    control = stream
    if isSecuredAtOnce { try await secureControl() }
    timings.connectEnd = load.clock.now
    return try await finalReply()
  }

  /// Encrypts the control connection, and the data connections to come (RFC 4217, 4 and 9).
  package func beginTLS() async throws(LoadError) {
    let reply = try await ask(FTPCommand("AUTH TLS"))
    guard reply.code == 234 else { throw FTPRefusal.error(reply, at: .security) }
    // What came in the clear after the consent isn't the server's word.
    guard parser.isEmpty else {
      throw LoadError(.secureConnectionFailed, .secure, "the server spoke on before the connection was secured")
    }
    try await secureControl()
  }

  /// Has data connections encrypted as well (RFC 4217, 9).
  package func protectData() async throws(LoadError) {
    _ = try await ask(FTPCommand("PBSZ 0"))
    let reply = try await ask(FTPCommand("PROT P"))
    guard reply.isCompletion else { throw FTPRefusal.error(reply, at: .security) }
  }

  private func secureControl() async throws(LoadError) {
    guard let control else { throw lost }
    timings.secureStart = load.clock.now
    try await control.secure(ChannelSecurity(terms, tickets: tickets, load))
    timings.secureEnd = load.clock.now
  }

  /// Sends a command and waits for the reply that ends it.
  package func ask(_ command: FTPCommand) async throws(LoadError) -> FTPReply {
    try await send(command)
    return try await finalReply()
  }

  package func send(_ command: FTPCommand) async throws(LoadError) {
    if load.isSuspended { try await load.waitWhileSuspended() }
    try check()
    guard let control else { throw lost }
    load.record.requestHeaderBytes += Int64(command.line.count)
    try await control.send(ByteBuffer(bytes: command.line))
  }

  /// The next reply that isn't preliminary.
  package func finalReply() async throws(LoadError) -> FTPReply {
    for _ in 0..<FTPConnection.preliminaryLimit {
      let reply = try await reply()
      if !reply.isPreliminary { return reply }
    }
    throw LoadError(.badServerResponse, .head, "the server announces replies and doesn't send one")
  }

  /// The next reply.
  package func reply() async throws(LoadError) -> FTPReply {
    while true {
      if let reply = try parser.next() { return reply }
      guard let control, let bytes = try await control.next() else { throw lost }
      try check()
      load.record.responseHeaderBytes += Int64(bytes.readableBytes)
      parser.append(bytes.readableBytesView)
    }
  }

  /// Takes leave: nobody waits for the answer.
  package func quit() {
    if failure == nil { control?.sendLast(ByteBuffer(bytes: FTPCommand("QUIT").line)) }
    end()
  }

  // MARK: data connections

  /// Makes ready for a transfer: by EPSV, then PASV, and where the server has neither, by waiting for it to connect.
  package func prepareTransfer() async throws(LoadError) {
    guard let peer = control?.remoteAddress, let host = peer.ipAddress else { throw lost }
    control?.keepTickets()
    if let port = try await passivePort(isVersion6: peer.protocol == .inet6) {
      data = try await dial(host, port, .data, ConnectTimings())
    } else {
      try await listen(expecting: host)
    }
  }

  /// The data connection of a transfer that the server has begun.
  package func transferStream() async throws(LoadError) -> FTPStream {
    if let listener {
      data = try await listener.accepted()
      listener.close()
      self.listener = nil
    }
    try check()
    guard let data else { throw lost }
    if isSecured, !data.isSecured { try await data.secure(ChannelSecurity(terms, tickets: tickets, load)) }
    return data
  }

  /// The server has refused the transfer.
  package func dropTransfer() {
    data?.close()
    data = nil
    listener?.close()
    listener = nil
  }

  /// RFC 2428 comes first: it works for both versions of IP. Nil if the server knows no passive mode.
  private func passivePort(isVersion6: Bool) async throws(LoadError) -> Int? {
    if !refusesExtendedPassive {
      let reply = try await ask(FTPCommand("EPSV"))
      if let port = FTPAnswers.extendedPassivePort(reply) { return port }
      try FTPConnection.checkSession(reply)
      refusesExtendedPassive = true
    }
    guard !isVersion6 else { return nil }
    let reply = try await ask(FTPCommand("PASV"))
    try FTPConnection.checkSession(reply)
    return FTPAnswers.passivePort(reply)
  }

  private func listen(expecting host: String) async throws(LoadError) {
    guard let own = control?.localAddress, let address = own.ipAddress else { throw lost }
    let listener = try await FTPListener.open(at: address, for: host, load)
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

  // MARK: sockets

  private func dial(_ host: String, _ port: Int, _ role: FTPStream.Role, _ timings: ConnectTimings) async throws(LoadError) -> FTPStream {
    if load.isSuspended { try await load.waitWhileSuspended() }
    try check()
    let promise = load.eventLoop.makePromise(of: (any Channel).self)
    dialing = promise
    defer { dialing = nil }
    let stream = FTPStream(load, role)
    dialer.connect(host: host, port: port, timings: timings, began: began).whenComplete { result in
      switch result {
      // Nobody takes a channel whose promise has been failed by an interruption: `began` has noted it, and it is closed.
      case .success(let channel): promise.succeed(channel)
      case .failure(let error): promise.fail(error)
      }
    }
    do {
      let channel = try await promise.futureResult.get()
      try channel.pipeline.syncOperations.addHandler(stream)
      return stream
    } catch {
      throw failure ?? TransportErrors.connecting(error)
    }
  }

  @Sendable private func began(_ channel: any Channel) -> EventLoopFuture<Void> {
    guard failure == nil else { return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
    sockets.append(channel)
    return channel.eventLoop.makeSucceededVoidFuture()
  }

  private func check() throws(LoadError) {
    if let failure { throw failure }
  }

  private var lost: LoadError { LoadError(.networkConnectionLost, .head, "the server closed the control connection") }

  // MARK: ending

  package func interrupt(_ error: LoadError) {
    guard failure == nil else { return }
    failure = error
    dialing?.fail(error)
    listener?.fail(error)
    control?.fail(error)
    data?.fail(error)
    end()
  }

  package func suspensionEnded() {
    data?.demand()
  }

  /// Closes what there is.
  package func end() {
    if failure == nil { failure = LoadError(.networkConnectionLost, .head, "the FTP session is over") }
    listener?.close()
    control?.close()
    data?.close()
    for socket in sockets { socket.close(promise: nil) }
    (control, data, listener) = (nil, nil, nil)
    sockets = []
  }
}
