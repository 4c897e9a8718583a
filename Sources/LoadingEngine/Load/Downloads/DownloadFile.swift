import CLoadingProcess
import Foundation
import HTTPTransport
import LoadingModel
import NIOCore

/// A file that a load writes piece by piece; a slow disk doesn't hold up the load's event loop.
///
/// Pieces queue up to a limit (`window`) while a thread for blocking work writes them; the load waits for room beyond it. Used by one load, on
/// its event loop; the thread writes one batch at a time.
package final class DownloadFile: @unchecked Sendable {
  // @unchecked: `state` is a mutex, `pipe` and `isDirect` are confined to the load's event loop; the descriptor is used by one batch at a
  // time and closed after the last.

  enum Piece {
    case bytes(ByteBuffer)
    /// This number of bytes waits in a pipe.
    case piped(Int, DirectPipe)

    var count: Int {
      switch self {
      case .bytes(let bytes): bytes.readableBytes
      case .piped(let count, _): count
      }
    }
  }

  struct State {
    var queued: [Piece] = []
    var queuedBytes = 0
    /// Whether the pipe has bytes that are being written: until that is done it must not be filled again.
    var isPipeInUse = false
    var isWriting = false
    /// The length of the file in bytes, including pieces that are still queued.
    var length: Int64
    /// The number of bytes that have been written.
    var written: Int64
    var failure: LoadError?
    /// The load's wait for room in the queue (`room`), or for everything to be written (`idle`).
    var room: AppWait<Void>?
    var idle: AppWait<Void>?
    var ending: Ending?
    var fate: Fate
  }

  struct Ending {
    let isKept: Bool
    let then: @Sendable (Int64) -> Void
  }

  /// What happens to the file when writing has ended and this object is released.
  enum Fate {
    case stays
    case goes
  }

  /// The most bytes that wait for the disk: a process that is killed loses no more.
  static let window = 1024 * 1024

  /// The beginning of the files' names, the same as Apple's, so that the files in the folder can be recognized.
  package static let namePrefix = "CFNetworkDownload_"

  package let url: URL
  let descriptor: Int32
  let state: Mutex<State>
  /// The pipe between the load's socket and the file; created when needed, on the load's event loop.
  private var pipe: DirectPipe?
  /// Whether the kernel can move bytes from the load's socket into the file.
  private var isDirect = true

  init(url: URL, descriptor: Int32, length: Int64, fate: Fate) {
    self.url = url
    self.descriptor = descriptor
    state = Mutex(State(length: length, written: length, fate: fate))
  }

  deinit {
    let path: String? = state.withLock { $0.fate == .goes ? url.path(percentEncoded: false) : nil }
    let descriptor = descriptor
    // Closing is done on another thread, because it can wait for the disk.
    BlockingThreads.files.submit {
      if let path { unlink(path) }
      close(descriptor)
    }
  }

  // MARK: writing

  /// The length of the file in bytes, including those that are still to be written.
  package var length: Int64 { state.withLock { $0.length } }

  /// Queues a piece. Returns when there is room for the next.
  /// - Throws: The error of an earlier write, or the one that interrupted the load.
  package func append(_ bytes: ByteBuffer, _ context: LoadContext) async throws(LoadError) {
    try await append(.bytes(bytes), context)
  }

  /// Moves the bytes that wait in the load's socket into the file by the kernel, so that they don't pass through this process. Returns when there
  /// is room for more.
  /// - Parameter limit: The most bytes to move.
  /// - Returns: The number of bytes; 0 if none can be moved in this way at the moment.
  /// - Throws: The error of an earlier write or of the socket, or the one that interrupted the load.
  package func take(from exchange: Exchange, atMost limit: Int, _ context: LoadContext) async throws(LoadError) -> Int {
    guard limit > 0, isDirect, let pipe = openPipe() else { return 0 }
    if state.withLock({ $0.isPipeInUse }) {
      try await wait(context) { state, wait in
        guard state.isPipeInUse, state.failure == nil else { return false }
        state.room = wait
        return true
      }
    }
    let room = min(state.withLock { DownloadFile.window - $0.queuedBytes }, limit)
    guard room > 0 else { return 0 }
    var code: CInt = 0
    let count = exchange.readDirectly(atMost: room) { socket, count in
      let moved = uls_pipe_fill(socket, pipe.input, count)
      if moved < 0 { code = errno }
      return max(moved, 0)
    }
    if count > 0 {
      try await append(.piped(count, pipe), context)
      return count
    }
    switch code {
    case 0, EAGAIN, EINTR: return 0
    case EINVAL, ENOSYS, EPERM, EACCES, EOPNOTSUPP:
      isDirect = false
      return 0
    // The socket reports its error only once, so that it must be thrown here.
    default: throw TransportErrors.readingBody(IOError(errnoCode: code, reason: "reading"))
    }
  }

  private func openPipe() -> DirectPipe? {
    if pipe == nil {
      pipe = DirectPipe()
      isDirect = pipe != nil
    }
    return pipe
  }

  private func append(_ piece: Piece, _ context: LoadContext) async throws(LoadError) {
    let (mustStart, isFull, failure) = state.withLock { state in
      guard state.failure == nil else { return (false, false, state.failure) }
      state.queued.append(piece)
      if case .piped = piece { state.isPipeInUse = true }
      state.queuedBytes += piece.count
      state.length += Int64(piece.count)
      defer { state.isWriting = true }
      return (!state.isWriting, state.queuedBytes >= DownloadFile.window, nil)
    }
    if let failure { throw failure }
    if mustStart { BlockingThreads.files.submit { [self] in writeQueued() } }
    guard isFull else { return }
    try await wait(context) { state, wait in
      guard state.queuedBytes >= DownloadFile.window, state.failure == nil else { return false }
      state.room = wait
      return true
    }
  }

  /// Leaves the file to its receiver: it isn't removed when the load ends.
  package func handOver() {
    state.withLock { $0.fate = .stays }
  }

  /// Removes the file. Blocks while the disk is used.
  func remove() {
    unlink(url.path(percentEncoded: false))
    state.withLock { $0.fate = .stays }
  }

  /// Waits until all queued pieces have been written.
  /// - Throws: The error of a write, or the one that interrupted the load.
  package func finish(_ context: LoadContext) async throws(LoadError) {
    try await wait(context) { state, wait in
      guard state.isWriting else { return false }
      state.idle = wait
      return true
    }
  }

  /// Waits if `enlist` registers the wait and returns true; then throws the error of a write, if there is one.
  private func wait(_ context: LoadContext, _ enlist: (inout State, AppWait<Void>) -> Bool) async throws(LoadError) {
    try await AppWait<Void>.room(onDisk: context) { wait in
      if !state.withLock({ enlist(&$0, wait) }) { wait.answer(()) }
    }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Ends writing before the end of the body. What is queued is still written if the file is `kept`; otherwise the file is removed.
  ///
  /// - Parameter then: Called once, on any thread, when the disk has done its work, with the number of bytes in the file.
  package func stop(keeping isKept: Bool, then: @escaping @Sendable (Int64) -> Void) {
    let mustStart = state.withLock { state in
      if !isKept {
        state.queuedBytes -= state.queued.reduce(0) { $0 + $1.count }
        state.queued = []
      }
      state.ending = Ending(isKept: isKept, then: then)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if mustStart { BlockingThreads.files.submit { [self] in writeQueued() } }
  }
}
