import LoadingModel
import NIOCore
import ProtocolRules

// Requests that follow others before those are answered (RFC 9112, 9.3.2).

extension HTTP1Connection {
  /// What is under way behind the exchange that is being answered.
  struct Followers {
    /// Sent, in the order in which the answers will come.
    var sent: [Current] = []
    /// Places that are promised to loads which haven't begun yet.
    var reserved = 0
    /// Whether the server has shown that it answers one request after the other here.
    private(set) var isProven = false
    /// Bytes of the current response that were thrown away.
    var discarded = 0
    /// Since when nothing is read because the current response's reader takes nothing; nil while the server is waited for.
    var standsSince: Instant?
    /// Whether a check of its progress is planned.
    var isReaderWatched = false

    var isEmpty: Bool { sent.isEmpty && reserved == 0 }
    /// Whether a load still waits for its turn.
    var isWanted: Bool { reserved > 0 || sent.contains { !$0.isAbandoned } }

    mutating func noteProof(_ head: ResponseHead) {
      if !isProven { isProven = PipeliningRules.shows(head) }
    }

    /// They wait for their turn, not for the server.
    func noteActivity() {
      for follower in sent { follower.exchange.context.noteActivity() }
    }
  }

  /// Bytes of a discarded response that are read to keep the connection.
  private static let discardLimit = 64 * 1024

  /// Seconds for which the reader of one response may make no progress before the requests behind it are sent over other connections.
  private static let readerPatience = 5.0

  // MARK: places

  /// Keeps the connection for one load, or a place behind what is under way there.
  func reserve() {
    switch state {
    case .idle: state = .leased
    case .leased, .exchanging: followers.reserved += 1
    case .closed: break
    }
  }

  /// Undoes `reserve`: the load left before it began.
  /// - Returns: Whether the connection is idle now.
  func unreserve() -> Bool {
    if followers.reserved > 0 {
      followers.reserved -= 1
      return false
    }
    if case .leased = state { state = .idle }
    return isIdle
  }

  /// Whether a load that leased it can begin: false once the peer has closed it.
  package var isLeased: Bool {
    switch state {
    case .leased: true
    case .exchanging: followers.reserved > 0
    case .idle, .closed: false
    }
  }

  /// Whether one more request may be sent before those under way are answered. Behind one whose reader is slow or suspended it would wait
  /// for that reader.
  var takesFollower: Bool {
    guard followers.isProven, case .exchanging(let current) = state else { return false }
    guard current.isPipelined, current.isRequestSent, current.isPersistent, !current.isAbandoned, !current.exchange.isFull else {
      return false
    }
    return 1 + followers.sent.count + followers.reserved < PipeliningRules.depth
  }

  // MARK: exchanges

  /// Sends a request behind those under way. It has no body.
  func follow(_ exchange: Exchange, _ request: OutgoingRequest) -> Int {
    guard let context else { return 0 }
    followers.reserved -= 1
    exchangeCount += 1
    followers.sent.append(
      Current(
        exchange: exchange, method: request.method, isPipelined: true, isRequestSent: true, isPersistent: !request.closesAfter))
    let length = writer.begin(request, context)
    context.flush()
    watchReader()
    return length
  }

  /// The response to the current request is complete: the next one's turn.
  func advance() {
    followers.discarded = 0
    followers.standsSince = nil
    guard !followers.sent.isEmpty else {
      followers.reserved -= 1
      state = .leased
      return
    }
    let next = followers.sent.removeFirst()
    state = .exchanging(next)
    guard !next.isAbandoned || followers.isWanted else { return giveUp() }
    reader.expectHead()
    owner?.connectionTakesFollowers(self)
  }

  /// What was sent can't be called back: its response is thrown away when it comes.
  func abandonFollower(_ exchange: Exchange) {
    guard let index = followers.sent.firstIndex(where: { $0.exchange === exchange }) else { return }
    followers.sent[index].isAbandoned = true
    if case .exchanging(let current) = state, current.isAbandoned, !followers.isWanted { giveUp() }
  }

  func discard(_ bytes: ByteBuffer) {
    followers.discarded += bytes.readableBytes
    if followers.discarded > HTTP1Connection.discardLimit { giveUp() }
  }

  /// Closes the connection in the middle of what is under way.
  func giveUp() {
    state = .closed
    owner?.connectionClosed(self, wasInUse: true)
    close()
    dropFollowers()
  }

  /// Nothing more is read before the reader of the current response has room: a load that is suspended, or an app that takes its time.
  /// Those behind it must not time out for that.
  func readerStands() {
    followers.standsSince = clock.now
    watchReader()
  }

  /// What is read next is the server's to send, or has been taken directly.
  func readerMoves() {
    followers.standsSince = nil
  }

  private func watchReader() {
    guard let since = followers.standsSince, !followers.sent.isEmpty, !followers.isReaderWatched, let eventLoop = context?.eventLoop else {
      return
    }
    followers.isReaderWatched = true
    clock.wake(at: since.advanced(bySeconds: HTTP1Connection.readerPatience)) { [weak self] in
      eventLoop.execute { [weak self] in self?.lookAtReader() }
    }
  }

  private func lookAtReader() {
    followers.isReaderWatched = false
    guard case .exchanging(var current) = state, !current.isAbandoned, !followers.sent.isEmpty, let since = followers.standsSince else {
      return
    }
    guard since.advanced(bySeconds: HTTP1Connection.readerPatience) <= clock.now else { return watchReader() }
    // Their responses come all the same: nothing can follow on this connection.
    current.isPersistent = false
    state = .exchanging(current)
    dropFollowers()
  }

  /// The connection has ended, or makes no progress: the requests behind the first can be sent again.
  func dropFollowers() {
    guard !followers.sent.isEmpty else { return }
    let unanswered = followers.sent
    followers.sent = []
    for follower in unanswered {
      var error = LoadError(
        .networkConnectionLost, .head, "the connection ended, or stood still, before it was the request's turn to be answered")
      error.resendReason = .unanswered
      follower.exchange.fail(error)
    }
  }
}
