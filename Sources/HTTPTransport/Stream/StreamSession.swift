import Foundation
import LoadingModel
import NIOCore

/// What a stream session reports beside the bytes that were read; implemented by the public layer. Called on the event loop.
package protocol StreamEvents: AnyObject {
  /// Nothing more will come.
  func streamReadClosed()
  /// Nothing more can be written.
  func streamWriteClosed()
  func streamReceived(bytes: Int)
  func streamSent(bytes: Int)
  /// The session has ended; what is left of the connection is the app's.
  func streamCaptured(_ capture: StreamCapture)
}

/// A connection that left its stream session. Used on the event loop.
package struct StreamCapture: @unchecked Sendable {
  // @unchecked: immutable; `source`, which isn't Sendable, is used on the event loop of `executor` alone.
  package let executor: LoopExecutor
  package let source: any StreamSource
  /// Bytes that came and haven't been read.
  package let unread: ByteBuffer
  /// Whether nothing more will come, and if so, whether that was in order.
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

  /// What the load's own task is to do next.
  package enum Turn: Sendable {
    /// Begin TLS.
    case secure
    case finish
    case fail(LoadError)
  }

  enum Phase {
    case connecting
    case open
    case securing
    /// The error is what later calls are answered with.
    case ended(LoadError)
  }

  enum Inbound {
    case open
    /// The peer's end has come; there may be unread bytes.
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

  /// What waits until all before it has been done, and holds up all behind it.
  enum Barrier {
    case secure
    case capture
  }

  enum Step {
    case read(ReadStep)
    case write(WriteStep)
    case barrier(Barrier)
  }

  /// Bytes that may wait for `read` before nothing more is asked for.
  package static let readAheadLimit = 256 * 1024
  /// Bytes that a read can wait for: buffers can't hold more than a few times as much.
  static let largestRead = 1 << 30

  package let executor: LoopExecutor
  weak var events: (any StreamEvents)?
  var context: LoadContext?
  var source: (any StreamSource)?
  var phase = Phase.connecting

  var inbound = Inbound.open
  /// A body's bytes have been counted where they came from.
  var countsBytes = true
  var reads = CircularBuffer<ReadStep>(initialCapacity: 1)
  var inbox = ByteBuffer()

  var outbound = Outbound.open
  var writes = CircularBuffer<WriteStep>(initialCapacity: 1)
  /// Writes of which all has been handed to the channel, but not yet to the system.
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

  /// The load begins.
  package func begin(_ context: LoadContext, _ events: any StreamEvents) {
    self.context = context
    self.events = events
    context.companion = self
  }

  /// There is a connection, or something else to read from.
  ///
  /// - Parameters:
  ///   - isReadOnly: Whether writing isn't possible.
  ///   - isSecured: Whether TLS has been begun.
  package func open(_ source: any StreamSource, isReadOnly: Bool = false, isSecured: Bool = false) {
    guard case .connecting = phase, let context else { return source.close() }
    self.source = source
    context.ownPath = source as? any PathBound
    self.isSecured = isSecured
    phase = .open
    // An open stream may be silent for as long as it likes.
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

  /// What the load's task has to do next; waits for it.
  package func nextTurn() async -> Turn {
    if let due = due.take() { return due }
    return await withUnsafeContinuation { turn = $0 }
  }

  func say(_ next: Turn) {
    if let turn = turn.take() { return turn.resume(returning: next) }
    // An end counts for more than what was to be done before it.
    due = next
  }

  /// The load has ended: answers all waiting callers.
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

  /// Whether bytes may move.
  var moves: Bool {
    guard case .open = phase, let context else { return false }
    return !context.isSuspended
  }

  /// The connection broke.
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

  // MARK: what the app asks for

  package func read(_ read: StreamRead) {
    guard read.maximum > 0 else { return read.fail(.streamReadIsEmpty) }
    submit(.read(.read(read)))
  }

  package func write(_ write: StreamWrite) { submit(.write(.write(write))) }

  package func closeRead() { submit(.read(.close)) }

  package func closeWrite() { submit(.write(.close)) }

  package func startSecureConnection() { submit(.barrier(.secure)) }

  package func captureStreams() { submit(.barrier(.capture)) }

  /// The caller that waits with `operation` waits no longer. What has begun to be sent is sent to its end: the peer couldn't make sense of
  /// half of it.
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
    // Withdrawn before it came here.
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

  /// The task has ended: what had come can still be read.
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
