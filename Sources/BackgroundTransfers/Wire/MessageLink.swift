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
  /// How many bytes may wait for a peer that doesn't read.
  package static let maximumUnsent = 32 << 20
  private static let readSize = 64 << 10
  private static let readsPerTurn = 32

  typealias Received = @Sendable ([Data]) -> Void
  typealias Ended = @Sendable (LinkEnd) -> Void

  enum Phase {
    case new
    case open
    /// Nothing more is taken; the link ends when all is sent.
    case draining
    /// Nothing can be sent any longer; what the peer has sent before is still read.
    case mute
    case ended(LinkEnd)
  }

  struct State {
    var phase = Phase.new
    var outbox = Outbox()
    /// Bytes of a message that has come in part.
    var incoming = 0
    /// To be called when all that was to be sent has left.
    var whenSent: [@Sendable () -> Void] = []
    /// Whether `flush` is going to run, now or when there is room.
    var isFlushing = false
    /// Whether the peer was given up by a sender that waited for it, and has taken nothing since.
    var isStalled = false
    var isStarted = false
    /// While the link runs.
    var watch: SocketWatch?
    var received: Received?
    var ended: Ended?
  }

  package let peer: LinkPeer
  let descriptor: Int32
  let queue: DispatchQueue
  let state = Mutex(State())
  /// Touched on `queue`.
  private let reader = Mutex(FrameReader())
  /// Called once, when the descriptor is about to be closed.
  private let released: (@Sendable () -> Void)?
  /// That of the listener which has accepted it.
  private let budget: LinkBudget?

  /// - Parameter descriptor: A connected socket. It is the link's from now on.
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
    // A started link lives until `tearDown` has closed the descriptor.
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

  /// Ends the link when what the peer has sent until now has been read. For a peer whose process has ended: another one may have inherited
  /// its end, which would keep the connection open.
  package func closeAfterReading() {
    // Not a descriptor that `tearDown` has closed.
    queue.async { [self] in
      if !state.withLock({ $0.isOver }) { shutdown(descriptor, Int32(SHUT_RD)) }
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

  /// Reads until nothing is left. libdispatch tells once that the peer has closed and doesn't watch the descriptor any longer: what was left
  /// unread then would stay there.
  private func read() {
    for _ in 0..<MessageLink.readsPerTurn where !readOnce() { return }
    // What else waits on the queue has its turn.
    queue.async { [self] in read() }
  }

  /// - Returns: Whether there may be more.
  private func readOnce() -> Bool {
    // A read that was put off mustn't reach a descriptor that has been closed meanwhile.
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

  /// Tells the budget what the link holds. With its lock held.
  /// - Returns: The link to end, without a lock.
  func account(_ state: State) -> MessageLink? { budget?.hold(state.isOver ? 0 : state.outbox.count + state.incoming, by: self) }

  /// The first reason counts.
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
      // The descriptor is closed with the last reference; the peer is told now.
      shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }

  /// Once: where the watch isn't made yet, it finds the link over, and calls this.
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

  /// Whether what comes in is passed on.
  var reads: Bool {
    switch phase {
    case .open, .mute: true
    case .new, .draining, .ended: false
    }
  }
}
