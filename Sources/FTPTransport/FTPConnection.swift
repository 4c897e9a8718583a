import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// One FTP session with a server: a control connection, and a data connection while something is transferred.
///
/// Serves one load, which owns it, and is what the load waits on. Confined to the event loop.
package final class FTPConnection: Interruptible, @unchecked Sendable {
  // @unchecked: made and used on the load's event loop alone.

  package let load: LoadContext
  let terms: ChannelSecurity.Terms
  /// The TLS tickets of this FTP session alone: servers require that data connections resume the control connection's TLS session.
  let tickets = TLSTicketStore()
  package let timings = ConnectTimings()
  private(set) var parser = FTPReplyParser()
  /// Replies received while the session waited for a data connection, for later calls of `reply`.
  private var earlyReplies: [FTPReply] = []
  private(set) var control: FTPStream?
  /// The data connection of the current transfer; `listener` waits for it in active mode.
  var data: FTPStream?
  var listener: FTPListener?
  let dialer: FTPDialer
  /// How the next data port is asked for: methods that the server doesn't support aren't tried again.
  var passiveMode = PassiveMode.extended
  private var failure: LoadError?
  /// The most preliminary (1xx) replies to one command.
  private static let preliminaryLimit = 16

  package init(_ load: LoadContext, _ terms: ChannelSecurity.Terms, _ streams: StreamDialer) {
    self.load = load
    self.terms = terms
    dialer = FTPDialer(load, streams)
  }

  package var isSecured: Bool { control?.isSecured ?? false }
  package var facts: ConnectionFacts? { control?.facts }

  // MARK: the control connection

  /// Connects, starts TLS at once if the scheme is ftps (`isSecuredAtOnce`), and returns the server's greeting.
  package func open(isSecuredAtOnce: Bool) async throws(LoadError) -> FTPReply {
    let stream = try await connect(terms.origin.host, terms.origin.port, .control, timings)
    control = stream
    if isSecuredAtOnce { try await secureControl() }
    timings.connectEnd = load.clock.now
    return try await finalReply()
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
    load.observer?.took(.command(String(decoding: command.line, as: UTF8.self).filter { !$0.isNewline }))
    try await control.send(ByteBuffer(bytes: command.line))
  }

  /// The next final reply; preliminary (1xx) replies are skipped.
  package func finalReply() async throws(LoadError) -> FTPReply {
    for _ in 0..<FTPConnection.preliminaryLimit {
      let reply = try await reply()
      if !reply.isPreliminary { return reply }
    }
    throw LoadError(.badServerResponse, .head, "the server announces replies and doesn't send one")
  }

  /// The next reply, preliminary or final.
  package func reply() async throws(LoadError) -> FTPReply {
    if !earlyReplies.isEmpty { return earlyReplies.removeFirst() }
    while true {
      if let reply = try nextReply() { return reply }
      guard let control, let bytes = try await control.next() else { throw lost }
      try check()
      note(bytes)
    }
  }

  /// Parses the replies that have arrived during a wait for the data connection, and keeps them for `reply`.
  /// - Returns: The reply with which the server refuses the transfer; nil if there is none.
  /// - Throws: If the server has closed the connection without having reported the transfer as complete.
  func takeEarlyReplies() throws(LoadError) -> FTPReply? {
    guard let control else { throw lost }
    while let bytes = control.popPiece() { note(bytes) }
    while let reply = try nextReply() {
      guard earlyReplies.count < FTPConnection.preliminaryLimit else {
        throw LoadError(.badServerResponse, .head, "the server replies more often than it is asked")
      }
      earlyReplies.append(reply)
    }
    if control.hasEnded, !earlyReplies.contains(where: \.isCompletion) { throw lost }
    return earlyReplies.first { !$0.isPreliminary && !$0.isCompletion }
  }

  private func nextReply() throws(LoadError) -> FTPReply? {
    let reply = try parser.next()
    if let reply { load.observer?.took(.reply(code: reply.code, lines: reply.lines)) }
    return reply
  }

  private func note(_ bytes: ByteBuffer) {
    load.record.responseHeaderBytes += Int64(bytes.readableBytes)
    parser.append(bytes.readableBytesView)
  }

  /// Sends QUIT, without waiting for the reply.
  package func quit() {
    if failure == nil { control?.sendLast(ByteBuffer(bytes: FTPCommand("QUIT").line)) }
    end()
  }

  func connect(
    _ host: String, _ port: Int, _ role: FTPStream.Role, _ timings: ConnectTimings, patience: Double? = nil
  ) async throws(LoadError) -> FTPStream {
    if load.isSuspended { try await load.waitWhileSuspended() }
    try check()
    do throws(LoadError) {
      return try await dialer.dial(host, port, role, timings, patience: patience)
    } catch {
      var error = failure ?? error
      // A fault of the proxy isn't reported as one for which to try another route, as the proxy has worked for the control connection.
      if case .data = role { error.proxy = error.proxy.map { ProxyFault($0.code, answer: $0.answer) } }
      throw error
    }
  }

  func check() throws(LoadError) {
    try load.checkpoint()
    if let failure { throw failure }
  }

  var lost: LoadError { LoadError(.networkConnectionLost, .head, "the server closed the control connection") }

  // MARK: ending

  package func interrupt(_ error: LoadError) {
    guard failure == nil else { return }
    failure = error
    listener?.fail(error)
    control?.fail(error)
    data?.fail(error)
    dialer.end(error)
    end()
  }

  package func suspensionEnded() {
    data?.demand()
  }

  package var phase: LoadError.Phase? { control == nil || timings.phase == .secure ? timings.phase : data == nil ? .head : nil }

  /// Of a file that is being stored. TLS adds to what isn't acknowledged, which does no harm (`Exchange.acknowledgedBytes`).
  package var acknowledgedBytes: Int64? {
    let sent = load.record.requestBodyBytes
    guard sent > 0, let data else { return nil }
    return sent - Int64(data.unacknowledgedBytes)
  }

  /// Closes all connections and ends the session.
  package func end() {
    if failure == nil { failure = LoadError(.networkConnectionLost, .head, "the FTP session is over") }
    listener?.close()
    control?.close()
    data?.close()
    dialer.end(failure ?? lost)
    (control, data, listener) = (nil, nil, nil)
  }
}

extension FTPConnection: PathBound {
  package func vanished(_ addresses: Set<String>) {
    if dialer.isBound(to: addresses) { interrupt(PathLoss.midway(.body)) }
  }
}
