@preconcurrency import Dispatch
import Foundation

extension MessageLink {
  /// How many pieces are sent before other work on the link's queue gets its turn.
  private static let piecesPerTurn = 32

  /// Sends a message after all earlier ones, without waiting. May be called on any thread, also before `start`.
  ///
  /// - Returns: false if the message isn't sent: the link has ended or is closing, or the message is longer than `FrameReader.maximumMessage`.
  @discardableResult package func send(_ message: some Encodable & Sendable) -> Bool {
    guard let frame = MessageCoding.frame(message) else { return false }
    return send(frame: frame)
  }

  /// - Parameter frame: A message from `MessageCoding.frame`.
  @discardableResult package func send(frame: Data) -> Bool {
    let (isAdded, fullest): (Bool?, MessageLink?) = state.withLock { state in
      switch state.phase {
      case .new, .open: (state.outbox.add(frame), account(state))
      case .draining, .mute, .ended: (nil, nil)
      }
    }
    fullest?.end(.overfull)
    guard let isAdded else { return false }
    if isAdded { scheduleFlush() } else { end(.overfull) }
    return isAdded
  }

  /// Calls `body` on the link's queue when everything sent before has left the process; never if the link ends before that. For senders that have
  /// more to send than should be in memory at once.
  package func afterSending(_ body: @escaping @Sendable () -> Void) {
    state.withLock { state in
      guard !state.isOver else { return }
      state.whenSent.append(body)
    }
    scheduleFlush()
  }

  /// Ends the link when everything sent before has left the process; messages of the peer aren't passed on any more. Starts the link if that wasn't
  /// done.
  package func closeAfterSending() {
    if isNew { start(received: { _ in }, ended: { _ in }) }
    state.withLock { state in
      switch state.phase {
      case .open: state.phase = .draining
      case .new, .draining, .mute, .ended: break
      }
    }
    // A link in the phase `mute` can't send any more, so there is nothing to wait for.
    if isMute { close() } else { scheduleFlush() }
  }

  private var isNew: Bool { state.withLock { if case .new = $0.phase { true } else { false } } }
  private var isMute: Bool { state.withLock { $0.isMute } }

  /// Has `flush` run on the link's queue, unless it is already scheduled.
  func scheduleFlush() {
    let isNeeded = state.withLock { state in
      guard state.watch != nil, !state.isFlushing else { return false }
      state.isFlushing = true
      return true
    }
    if isNeeded { queue.async { [self] in flush() } }
  }

  /// Writes waiting bytes to the socket as far as it takes them. Runs on the link's queue.
  func flush() {
    for _ in 0..<MessageLink.piecesPerTurn {
      guard let piece = nextPiece() else { return }
      let sent = piece.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if sent >= 0 {
        state.withLock { state in
          state.outbox.sent(sent)
          state.isStalled = false
          _ = account(state)
        }
      } else if errno == EAGAIN {
        state.withLock { $0.watch }?.awaitRoom()
        return
      } else if errno != EINTR {
        return stopSending()
      }
    }
    queue.async { [self] in flush() }
  }

  /// The next bytes to send. nil if none wait: then a draining link ends, and `afterSending` handlers are called.
  private func nextPiece() -> Data? {
    let (piece, isDrained, told): (Data?, Bool, [@Sendable () -> Void]) = state.withLock { state in
      if let piece = state.outbox.next { return (piece, false, []) }
      state.isFlushing = false
      defer { state.whenSent = [] }
      if case .draining = state.phase { return (nil, true, []) }
      return (nil, false, state.whenSent)
    }
    if isDrained { end(.closed) }
    for body in told { body() }
    return piece
  }

  /// The socket can't be written, because the peer has closed it. What the peer sent before that, such as a refusal, can still be read, and reading
  /// finds the end of the stream.
  private func stopSending() {
    let isDraining = state.withLock { state in
      state.isFlushing = false
      state.outbox.removeAll()
      state.whenSent = []
      _ = account(state)
      switch state.phase {
      case .open: state.phase = .mute
      case .draining: return true
      case .new, .mute, .ended: break
      }
      return false
    }
    if isDraining { end(.closed) }
  }
}
