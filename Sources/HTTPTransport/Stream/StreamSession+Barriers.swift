import LoadingModel
import NIOCore

// Barriers, which wait until all earlier reads and writes are done (starting TLS, capturing the streams), and the session's end.

extension StreamSession {
  /// Performs the reads, writes and barriers that are possible now.
  func pump() {
    guard moves else { return }
    pumpReads()
    guard moves else { return }
    pumpWrites()
    guard moves else { return }
    if let barrier, reads.isEmpty, writes.isEmpty, piecesInFlight == 0 { pass(barrier) }
    finishIfOver()
  }

  private func pass(_ barrier: Barrier) {
    switch barrier {
    case .secure where isSecured || !(source is StreamConnection): leave()
    case .secure where !isWhole:
      // The operations behind the barrier must not be sent unencrypted: the session ends.
      end(with: LoadError(.secureConnectionFailed, .secure, "a side of the connection was closed before it was secured"))
    case .secure:
      guard inbox.readableBytes == 0 else { return end(with: .spokenInTheClear) }
      phase = .securing
      say(.secure)
    case .capture: capture()
    }
  }

  /// Removes the barrier that has been passed, and admits the operations behind it up to the next barrier.
  private func leave() {
    barrier = nil
    while barrier == nil, let step = behind.popFirst() { admit(step) }
    pump()
  }

  /// Whether both directions are open.
  private var isWhole: Bool {
    if case .open = inbound, case .open = outbound { true } else { false }
  }

  /// Starts TLS, for the turn `.secure`, and waits for its handshake.
  package func secure(_ security: ChannelSecurity) async throws(LoadError) {
    guard case .securing = phase, let context, let connection = source as? StreamConnection else { return }
    // Bytes may have arrived unencrypted since the barrier was passed.
    guard inbox.readableBytes == 0 else { return end(with: .spokenInTheClear) }
    context.record.secureConnectionStart = context.clock.now
    limitHandshake(of: connection, context)
    do throws(LoadError) {
      try await connection.secure(security)
    } catch {
      end(with: context.failure ?? error)
      return
    }
    guard case .securing = phase else { return }
    context.record.secureConnectionEnd = context.clock.now
    context.record.connection = connection.facts
    isSecured = true
    phase = .open
    if wantsBytes { connection.demand() }
    leave()
  }

  /// Seconds within which the handshake must complete; the time that the app takes to answer challenges doesn't count.
  private static let handshakeLimit = 75.0

  private func limitHandshake(of connection: StreamConnection, _ context: LoadContext) {
    context.clock.wake(at: context.clock.now.advanced(bySeconds: StreamSession.handshakeLimit)) { [weak self, executor] in
      executor.eventLoop.execute { [weak self] in
        guard let self, case .securing = self.phase, let context = self.context else { return }
        if connection.asksApp { return self.limitHandshake(of: connection, context) }
        connection.withdraw(
          LoadError(
            .timedOut, .secure, "the server didn't get through the TLS handshake within \(Int(StreamSession.handshakeLimit)) seconds"))
      }
    }
  }

  /// Hands the connection, with its unread bytes, to the app (`captureStreams`), and ends the session.
  private func capture() {
    guard let source else { return }
    var end: Result<Void, LoadError>?
    switch inbound {
    case .open: break
    case .ended(let error?): end = .failure(error)
    case .ended(nil), .over: end = .success(())
    }
    let isWritable = if case .open = outbound { true } else { false }
    let capture = StreamCapture(executor: executor, source: source, unread: inbox, inputEnd: end, isWritable: isWritable)
    self.source = nil
    inbound = .over
    dropInbox()
    source.attach(nil)
    stop(.streamClosed)
    events?.streamCaptured(capture)
    say(.finish)
  }

  /// Both sides are closed and everything has been read: the task is over.
  func finishIfOver() {
    guard isRunning, barrier == nil, case .closed = outbound, piecesInFlight == 0 else { return }
    switch inbound {
    case .open: return
    case .ended(let error):
      guard inbox.readableBytes == 0 else { return }
      if let error { return end(with: error) }
    case .over: break
    }
    stop(.streamClosed)
    say(.finish)
  }
}
