@preconcurrency import Dispatch
import Foundation

extension MessageLink {
  /// What a wait for a peer has come to.
  package enum Written: Sendable, Equatable {
    /// All that was sent before has left the process, which may end.
    case written
    /// The link has ended, or the peer can't be written: some of it hasn't left, and won't.
    case over
    /// The peer takes nothing, for longer than `AnswerPatience` allows. What hasn't left yet still waits.
    case stalled
    /// The call came from the link's own queue, which can't wait for itself.
    case unknown
  }

  /// Milliseconds between two looks at the peer.
  private static let slice: Int32 = 250
  private static let own = DispatchSpecificKey<ObjectIdentifier>()

  /// Lets `isOnQueue` know the link's queue.
  func markQueue() { queue.setSpecific(key: MessageLink.own, value: ObjectIdentifier(self)) }

  private var isOnQueue: Bool { DispatchQueue.getSpecific(key: MessageLink.own) == ObjectIdentifier(self) }

  /// Whether the caller runs in a call of some link's, on that one's queue: what it waited for there might not come.
  package static var isCalling: Bool { DispatchQueue.getSpecific(key: own) != nil }

  /// Returns when all that was sent before has left the process, or won't. Blocks, and sends on the calling thread: a process all of whose
  /// threads wait here goes on.
  ///
  /// Once a peer has been given up, later calls don't wait for it until it takes something.
  package func waitUntilWritten(_ patience: AnswerPatience = AnswerPatience()) -> Written {
    guard !isOnQueue else { return .unknown }
    let (goal, wasOver) = state.withLock { ($0.outbox.end, $0.isOver || $0.isMute) }
    guard !wasOver else { return .over }
    var watch = AnswerWatch(patience, now: .now)
    var before = 0
    while true {
      queue.sync { if state.withLock({ $0.watch != nil }) { flush() } }
      let (left, isOver, isStalled) = state.withLock { ($0.outbox.left, $0.isOver || $0.isMute, $0.isStalled) }
      if left >= goal { return .written }
      if isOver { return .over }
      if isStalled { return .stalled }
      if left > before { watch.hasMoved(now: .now) }
      before = left
      guard !hasRoom(), watch.isOver(ProcessPulse(ofDaemon: peer.process), now: .now) else { continue }
      state.withLock { $0.isStalled = true }
    }
  }

  /// For a sender that has much to send: returns at once unless more than `bytes` wait already.
  package func waitForRoom(above bytes: Int) {
    if state.withLock({ $0.outbox.count > bytes }) { _ = waitUntilWritten() }
  }

  /// Waits for the socket to be writable, for a while. Another link's socket may have the number by then, which does no harm.
  private func hasRoom() -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, MessageLink.slice) != 0
  }
}
