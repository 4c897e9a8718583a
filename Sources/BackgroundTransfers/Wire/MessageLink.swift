@preconcurrency import Dispatch
import Foundation
import LoadingModel

/// A connection between an app and the daemon, which carries messages both ways.
///
///     new ──start──▸ open ──closeAfterSending──▸ draining ─┐
///                     │ └──the peer can't be written──▸ mute ─┤
///                     └──close, end of stream, damage, overfull┴──▸ ended
///
/// All system calls are made on the link's own serial queue. A started link lives until it has ended, also without references to it; one that
/// was never started closes its descriptor with its last reference.
package final class MessageLink: Sendable {
  /// Maximum number of bytes that may wait for a peer that doesn't read; above it the link ends as `overfull`.
  package static let maximumUnsent = 32 << 20
  private static let readSize = 64 << 10
  private static let readsPerTurn = 32

  typealias Received = @Sendable ([Data]) -> Void
  typealias Ended = @Sendable (LinkEnd) -> Void

  enum Phase {
    case new
    case open
    /// Messages are neither accepted for sending nor passed on any more; the link ends when all bytes are sent.
    case draining
    /// The socket can't be written any more; bytes that the peer sent before are still read.
    case mute
    case ended(LinkEnd)
  }

  struct State {
    var phase = Phase.new
    var outbox = Outbox()
    /// Bytes of the incomplete incoming message.
    var incoming = 0
    /// Handlers of `afterSending`, called when the outbox is empty.
    var whenSent: [@Sendable () -> Void] = []
    /// Whether `flush` is scheduled, now or when the socket can be written.
    var isFlushing = false
    /// Whether a caller of `waitUntilWritten` has given the peer up, and the peer has read nothing since.
    var isStalled = false
    var isStarted = false
    /// Watches the socket while the link runs; nil before `start` and after the end.
    var watch: SocketWatch?
    var received: Received?
    var ended: Ended?
  }

  package let peer: LinkPeer
  let descriptor: Int32
  let queue: DispatchQueue
  let state = Mutex(State())
  /// Only used on `queue`.
  private let reader = Mutex(FrameReader())
  /// Called once, just before the descriptor is closed: the listener's count of connections.
  private let released: (@Sendable () -> Void)?
  /// The budget of the listener that has accepted the connection; nil for an app's side.
  private let budget: LinkBudget?

  /// - Parameter descriptor: A connected socket, which belongs to the link from now on.
  package convenience init(descriptor: Int32, peer: LinkPeer) {
    self.init(descriptor: descriptor, peer: peer, budget: nil, released: nil)
  }

  init(descriptor: Int32, peer: LinkPeer, budget: LinkBudget?, released: (@Sendable () -> Void)?) {
    self.descriptor = descriptor
    self.budget = budget
    self.peer = peer
    self.released = released
    queue = DispatchQueue(label: "urlsessiond.link")
    markQueue()
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  deinit {
    // `tearDown` has closed the descriptor of a started link.
    guard state.withLock({ !$0.isStarted }) else { return }
    released?()
    _ = Foundation.close(descriptor)
  }

  /// Begins to read. To be called once.
  ///
  /// - Parameters:
  ///   - received: Given all complete messages of one read at once, in order, on the link's queue. While it runs nothing more is read.
  ///   - ended: Called exactly once, after the last `received`, on the same queue.
  package func start(received: @escaping @Sendable ([Data]) -> Void, ended: @escaping @Sendable (LinkEnd) -> Void) {
    let earlier: LinkEnd? = state.withLock { state in
      switch state.phase {
      case .new:
        state.phase = .open
        state.isStarted = true
        state.received = received
        state.ended = ended
        return nil
      case .ended(let end): return end
      case .open, .draining, .mute: return .closed
      }
    }
    if let earlier { return queue.async { ended(earlier) } }
    watch()
  }

  /// Ends the link at once; what wasn't sent is lost.
  package func close() { end(.closed) }

  /// Ends the link when everything that the peer has sent so far is read. For a peer whose process has ended: another process may have inherited its
  /// descriptor, which keeps the connection open.
  package func closeAfterReading() {
    // On the queue, and only if the link hasn't ended: `tearDown` may have closed the descriptor.
    queue.async { [self] in
      if !state.withLock({ $0.isOver }) { shutdown(descriptor, Int32(SHUT_RD)) }
    }
  }

  /// Whether the peer has closed the connection, or the link has ended. What the peer sent before may be unread still.
  package var peerHasClosed: Bool {
    state.withLock { state in
      // The descriptor stays open until the link has ended, which takes the lock.
      guard !state.isOver else { return true }
      var socket = pollfd(fd: descriptor, events: 0, revents: 0)
      return poll(&socket, 1, 0) > 0 && Int32(socket.revents) & POLLHUP != 0
    }
  }

  private func watch() {
    queue.async { [self] in
      let watch = SocketWatch(descriptor, queue: queue, readable: { [self] in read() }, writable: { [self] in flush() })
      let isOver = state.withLock { state in
        state.watch = watch
        return state.isOver
      }
      if isOver { tearDown() } else { scheduleFlush() }
    }
  }

  /// Reads until nothing is left, because libdispatch reports the peer's end only once: bytes left unread then would never be read.
  private func read() {
    for _ in 0..<MessageLink.readsPerTurn where !readOnce() { return }
    // Lets other work on the queue run before reading goes on.
    queue.async { [self] in read() }
  }

  /// Reads once from the socket.
  /// - Returns: Whether there may be more to read.
  private func readOnce() -> Bool {
    // The link may have ended since this read was scheduled, and its descriptor may be closed.
    guard !state.withLock({ $0.isOver }) else { return false }
    var buffer = [UInt8](repeating: 0, count: MessageLink.readSize)
    let count = Foundation.read(descriptor, &buffer, buffer.count)
    guard count > 0 else {
      if count < 0, errno == EAGAIN || errno == EINTR { return errno == EINTR }
      let isComplete = reader.withLock { $0.isBetweenMessages }
      end(isComplete ? .closed : .damaged("the connection has ended within a message"))
      return false
    }
    guard let received = state.withLock({ $0.reads ? $0.received : nil }) else { return true }
    let (messages, damage, held) = reader.withLock { reader in
      (buffer.withUnsafeBytes { reader.take(UnsafeRawBufferPointer(rebasing: $0[..<count])) }, reader.damage, reader.heldBytes)
    }
    let fullest = state.withLock { state in
      state.incoming = held
      return account(state)
    }
    fullest?.end(.overfull)
    if !messages.isEmpty { received(messages) }
    if let damage { end(.damaged(damage)) }
    return true
  }

  /// Tells the budget how many bytes the link holds. Called with the link's lock held.
  /// - Returns: The link that the caller has to end, once it has released the lock.
  func account(_ state: State) -> MessageLink? { budget?.hold(state.isOver ? 0 : state.outbox.count + state.incoming, by: self) }

  /// Ends the link. Only the first call counts, with its reason.
  func end(_ reason: LinkEnd) {
    let isStarted: Bool? = state.withLock { state in
      guard !state.isOver else { return nil }
      state.phase = .ended(reason)
      state.outbox.removeAll()
      state.whenSent = []
      _ = account(state)
      return state.isStarted
    }
    guard let isStarted else { return }
    if isStarted {
      queue.async { [self] in tearDown() }
    } else {
      // The descriptor is closed with the last reference; shutting it down tells the peer already now.
      shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }

  /// Stops watching, closes the descriptor and calls `ended`. If the link ends before its watch is made, `watch()` calls this.
  private func tearDown() {
    let watch = state.withLock { state in
      defer { state.watch = nil }
      return state.watch
    }
    watch?.stop { [self] in
      let (ended, phase) = state.withLock { state in
        defer { (state.received, state.ended) = (nil, nil) }
        return (state.ended, state.phase)
      }
      released?()
      _ = Foundation.close(descriptor)
      if case .ended(let reason) = phase { ended?(reason) }
    }
  }
}

extension MessageLink.State {
  var isOver: Bool { if case .ended = phase { true } else { false } }

  var isMute: Bool { if case .mute = phase { true } else { false } }

  /// Whether incoming messages are passed on.
  var reads: Bool {
    switch phase {
    case .open, .mute: true
    case .new, .draining, .ended: false
    }
  }
}
