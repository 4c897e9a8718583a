@preconcurrency import Dispatch
import Foundation

extension MessageLink {
  /// The result of waiting until everything sent before has left the process.
  package enum Written: Sendable, Equatable {
    /// Everything sent before has left this process, which may end now.
    case written
    /// The link has ended, or its socket can't be written: a part of what was sent is lost.
    case over
    /// The peer has read nothing for longer than `AnswerPatience` allows. The bytes still wait to be sent.
    case stalled
    /// The call came from the link's own queue, which would wait for itself.
    case unknown
  }

  /// Milliseconds between two checks of the peer.
  private static let slice: Int32 = 250
  private static let own = DispatchSpecificKey<ObjectIdentifier>()

  /// Marks the link's queue, so that `isOnQueue` recognizes it.
  func markQueue() { queue.setSpecific(key: MessageLink.own, value: ObjectIdentifier(self)) }

  private var isOnQueue: Bool { DispatchQueue.getSpecific(key: MessageLink.own) == ObjectIdentifier(self) }

  /// Whether the caller runs on the queue of any link: waiting there could keep the awaited message from coming.
  package static var isCalling: Bool { DispatchQueue.getSpecific(key: own) != nil }

  /// Blocks until everything sent before has left the process, or won't. Sends on the calling thread, so that it works even if all threads of the
  /// process wait here.
  ///
  /// Once a peer was given up, later calls return `.stalled` at once until the peer reads again.
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

  /// Returns at once unless more than `bytes` wait to be sent; otherwise waits as `waitUntilWritten` does. For senders that have much to send.
  package func waitForRoom(above bytes: Int) {
    if state.withLock({ $0.outbox.count > bytes }) { _ = waitUntilWritten() }
  }

  /// Waits up to `slice` for the socket to be writable. If the link ends meanwhile, another socket may get the descriptor's number; the poll only
  /// reads its state.
  private func hasRoom() -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, MessageLink.slice) != 0
  }
}
