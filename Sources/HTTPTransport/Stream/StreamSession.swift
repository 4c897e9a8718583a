import Foundation
import LoadingModel
import NIOCore

/// The events of a stream session apart from the results of reads and writes; implemented by the public layer. Called on the event loop.
package protocol StreamEvents: AnyObject {
  /// The peer has closed its side, or reading was closed: no more bytes will arrive.
  func streamReadClosed()
  /// Writing was closed, or has failed: no more bytes can be written.
  func streamWriteClosed()
  func streamReceived(bytes: Int)
  func streamSent(bytes: Int)
  /// The session has ended; the connection and its unread bytes now belong to the app.
  func streamCaptured(_ capture: StreamCapture)
}

/// A connection that the app has captured from a stream session. Used on the event loop.
package struct StreamCapture: @unchecked Sendable {
  // @unchecked: immutable; `source`, which isn't Sendable, is used on the event loop of `executor` alone.
  package let executor: LoopExecutor
  package let source: any StreamSource
  /// Bytes that were received and not read.
  package let unread: ByteBuffer
  /// Whether the peer's end has been received: nil if not, success if regular, failure if bytes may be missing.
  package let inputEnd: Result<Void, LoadError>?
  package let isWritable: Bool
}

/// One stream task's session: what is to be read and written, in the order of the calls, and the connection that carries it.
///
///     connecting -> open <-> securing     (barriers: `secure` and `capture` wait until everything before has been done)
///          \_________\___________\-> ended
///
/// Reads and writes wait in two queues, so that a read that waits for an answer doesn't hold up a write. Owned by its task; confined to the
/// event loop of the task's session.
package final class StreamSession: Interruptible, @unchecked Sendable {
  // @unchecked: made by the task on any thread; from then on everything but the immutable `executor` is confined to its event loop.

  /// The next step of the load, which waits for it in `nextTurn`.
  package enum Turn: Sendable {
    /// Start TLS, by calling `secure(_:)`.
    case secure
    case finish
    case fail(LoadError)
  }

  enum Phase {
    case connecting
    case open
    case securing
    /// The session has ended; later calls get this error.
    case ended(LoadError)
  }

  enum Inbound {
    case open
    /// The peer has ended its side, regularly (nil) or not; some bytes may still be unread.
    case ended(LoadError?)
    /// No further reads are possible: the end has been read, or reading has been closed.
    case over
  }

  enum Outbound {
    case open
    case closing
    case closed
  }

  enum ReadStep {
    case read(StreamRead)
    case close
  }

  enum WriteStep {
    case write(StreamWrite)
    case close
  }

  /// A step that waits until all earlier operations are done, and holds back all later ones.
  enum Barrier {
    case secure
    case capture
  }

  enum Step {
    case read(ReadStep)
    case write(WriteStep)
    case barrier(Barrier)
  }

  /// Unread bytes from which on no more are read from the connection, unless a read waits for more.
  package static let readAheadLimit = 256 * 1024
  /// The most bytes that one read can wait for, as buffers can't hold much more.
  static let largestRead = 1 << 30

  package let executor: LoopExecutor
  weak var events: (any StreamEvents)?
  var context: LoadContext?
  var source: (any StreamSource)?
  var phase = Phase.connecting

  var inbound = Inbound.open
  /// Whether received bytes are counted in the metrics; false for a response's body, which was counted when it was received.
  var countsBytes = true
  var reads = CircularBuffer<ReadStep>(initialCapacity: 1)
  var inbox = ByteBuffer()

  var outbound = Outbound.open
  var writes = CircularBuffer<WriteStep>(initialCapacity: 1)
  /// Writes that have been handed to the channel completely, but that the system hasn't taken yet.
  var flying = CircularBuffer<StreamWrite>(initialCapacity: 1)
  var piecesInFlight = 0

  var barrier: Barrier?
  var behind = CircularBuffer<Step>(initialCapacity: 1)
  var isSecured = false
  private var turn: UnsafeContinuation<Turn, Never>?
  private var due: Turn?
  var plannedLook: Instant?

  package init(executor: LoopExecutor) { self.executor = executor }

  // MARK: the load

  /// The load begins: sets its context and the receiver of events.
  package func begin(_ context: LoadContext, _ events: any StreamEvents) {
    self.context = context
    self.events = events
    context.companion = self
  }

  /// The connection is established, or another source of bytes is available: operations begin.
  ///
  /// - Parameters:
  /// - isReadOnly: Whether the source can't be written to (a response's body).
  /// - isSecured: Whether the connection uses TLS already.
  package func open(_ source: any StreamSource, isReadOnly: Bool = false, isSecured: Bool = false) {
    guard case .connecting = phase, let context else { return source.close() }
    self.source = source
    context.ownPath = source as? any PathBound
    self.isSecured = isSecured
    phase = .open
    // An open stream has no request timeout: it may be idle for as long as it likes.
    context.idleTimeout = .infinity
    if isReadOnly {
      countsBytes = false
      outbound = .closed
      events?.streamWriteClosed()
    }
    restartClocks()
    source.attach(self)
    pump()
  }

  /// Waits for the next step of the load.
  package func nextTurn() async -> Turn {
    if let due = due.take() { return due }
    return await withUnsafeContinuation { turn = $0 }
  }

  func say(_ next: Turn) {
    if let turn = turn.take() { return turn.resume(returning: next) }
    // If the load hasn't taken the previous step yet, the newer one, which may be the end, replaces it.
    due = next
  }

  /// The load has ended: all waiting operations fail with `error`.
  package func end(_ error: LoadError?) {
    stop(error ?? .streamClosed)
    context = nil
  }

  package func interrupt(_ error: LoadError) {
    guard isRunning else { return }
    (source as? StreamConnection)?.withdraw(error)
    stop(error)
    say(.fail(error))
  }

  package func suspensionEnded() {
    restartClocks()
    pump()
  }

  var isRunning: Bool {
    if case .ended = phase { false } else { true }
  }

  /// Whether operations can be performed now: the session is open and not suspended.
  var moves: Bool {
    guard case .open = phase, let context else { return false }
    return !context.isSuspended
  }

  /// Ends the session with `error`, as the connection has failed.
  func end(with error: LoadError) {
    guard isRunning else { return }
    stop(error)
    say(.fail(error))
  }

  func stop(_ error: LoadError) {
    guard isRunning else { return }
    phase = .ended(error)
    let (reads, writes, flying, behind) = (reads, writes, flying, behind)
    self.reads = []
    self.writes = []
    self.flying = []
    self.behind = []
    for case .read(let read) in reads { read.fail(error) }
    for write in flying { write.fail(error) }
    for case .write(let write) in writes { write.fail(error) }
    for step in behind { StreamSession.fail(step, error) }
    if error.kind == .cancelled { dropInbox() }
    source?.close()
    source = nil
  }

  static func fail(_ step: Step, _ error: LoadError) {
    switch step {
    case .read(.read(let read)): read.fail(error)
    case .write(.write(let write)): write.fail(error)
    case .read(.close), .write(.close), .barrier: break
    }
  }

  // MARK: operations of the app

  package func read(_ read: StreamRead) {
    guard read.maximum > 0 else { return read.fail(.streamReadIsEmpty) }
    submit(.read(.read(read)))
  }

  package func write(_ write: StreamWrite) { submit(.write(.write(write))) }

  package func closeRead() { submit(.read(.close)) }

  package func closeWrite() { submit(.write(.close)) }

  package func startSecureConnection() { submit(.barrier(.secure)) }

  package func captureStreams() { submit(.barrier(.capture)) }

  /// Fails `operation` with `error` and removes it from the queues. A write that has begun is still sent completely, as the peer couldn't make sense
  /// of a part of it.
  package func withdraw(_ operation: StreamOperation, _ error: LoadError = .cancelled()) {
    reads.removeAll { Step.read($0).isFor(operation) }
    writes.removeAll { step in
      if case .write(let write) = step, write.hasBegun { false } else { Step.write(step).isFor(operation) }
    }
    behind.removeAll { $0.isFor(operation) }
    operation.fail(error)
    pump()
  }

  private func submit(_ step: Step) {
    // The operation was withdrawn before it reached the event loop.
    if step.isOver { return }
    if case .ended(let error) = phase { return answerLate(step, error) }
    guard barrier == nil else { return behind.append(step) }
    admit(step)
    pump()
  }

  func admit(_ step: Step) {
    switch step {
    case .read(let step):
      if case .read(let read) = step { startClock(of: read) }
      reads.append(step)
    case .write(let step):
      if case .write(let write) = step { startClock(of: write) }
      writes.append(step)
    case .barrier(let barrier): self.barrier = barrier
    }
  }

  /// Answers an operation after the session's end: bytes that had arrived before a regular end can still be read.
  private func answerLate(_ step: Step, _ error: LoadError) {
    guard case .read(.read(let read)) = step, case .ended(nil) = inbound, error.kind != .cancelled else {
      return StreamSession.fail(step, error)
    }
    let piece = take(read.maximum)
    read.finish(.success(StreamPiece(bytes: piece, isLast: inbox.readableBytes == 0)))
  }
}

extension StreamSession.Step {
  fileprivate var isOver: Bool {
    switch self {
    case .read(.read(let read)): read.isOver
    case .write(.write(let write)): write.isOver
    case .read(.close), .write(.close), .barrier: false
    }
  }

  fileprivate func isFor(_ operation: StreamOperation) -> Bool {
    switch self {
    case .read(.read(let read)): read === operation
    case .write(.write(let write)): write === operation
    case .read(.close), .write(.close), .barrier: false
    }
  }
}
