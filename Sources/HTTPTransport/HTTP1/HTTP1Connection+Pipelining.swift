import LoadingModel
import NIOCore
import ProtocolRules

// Pipelining: requests that are sent before earlier ones have been answered (RFC 9112, 9.3.2).

extension HTTP1Connection {
  /// The pipelined requests behind the one whose response is being received.
  struct Followers {
    /// Exchanges whose requests have been sent, in the order of their responses.
    var sent: [Current] = []
    /// The number of loads that have been promised a place behind the current exchange and haven't begun.
    var reserved = 0
    /// Whether a response has shown that this server supports pipelining (`PipeliningRules.shows`).
    private(set) var isProven = false
    /// The number of bytes discarded of the current response, whose load has ended.
    var discarded = 0
    /// The time since which the connection hasn't read, because the current response's reader is full or suspended; nil while it reads.
    var standsSince: Instant?
    /// Whether a call of `lookAtReader` is planned.
    var isReaderWatched = false

    var isEmpty: Bool { sent.isEmpty && reserved == 0 }
    /// Whether a load still waits for a response, or for its promised place, on this connection.
    var isWanted: Bool { reserved > 0 || sent.contains { !$0.isAbandoned } }

    mutating func noteProof(_ head: ResponseHead) {
      if !isProven { isProven = PipeliningRules.shows(head) }
    }

    /// Restarts the request timeouts of all followers: they wait for earlier responses, and not for the server.
    func noteActivity() {
      for follower in sent { follower.exchange.context.noteActivity() }
    }
  }

  /// Bytes of a discarded response that are read to keep the connection.
  private static let discardLimit = 64 * 1024

  /// Seconds for which the reader of one response may make no progress before the requests behind it are sent over other connections.
  private static let readerPatience = 5.0

  // MARK: leasing

  /// Leases the connection to a load, or promises it a place behind the exchanges under way.
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
    guard followers.isProven, !isRetired, case .exchanging(let current) = state else { return false }
    guard current.isPipelined, current.isRequestSent, current.isPersistent, !current.isAbandoned, !current.exchange.isFull else {
      return false
    }
    return 1 + followers.sent.count + followers.reserved < PipeliningRules.depth
  }

  // MARK: exchanges

  /// Sends a pipelined request, without body, behind those under way. Returns the length of its head in bytes.
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

  /// The current response is complete: the response to the next pipelined request is read.
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

  /// A pipelined exchange is cancelled. Its request has been sent, so its response will be read and discarded.
  func abandonFollower(_ exchange: Exchange) {
    guard let index = followers.sent.firstIndex(where: { $0.exchange === exchange }) else { return }
    followers.sent[index].isAbandoned = true
    if case .exchanging(let current) = state, current.isAbandoned, !followers.isWanted { giveUp() }
  }

  func discard(_ bytes: ByteBuffer) {
    followers.discarded += bytes.readableBytes
    if followers.discarded > HTTP1Connection.discardLimit { giveUp() }
  }

  /// Closes the connection while exchanges are under way; pipelined ones fail with an error that lets them be sent again.
  func giveUp() {
    state = .closed
    owner?.connectionClosed(self, wasInUse: true)
    close()
    dropFollowers()
  }

  /// The connection stops reading until the reader of the current response has room (a suspended load, or a slow app). Starts the watch after which
  /// the requests behind it are sent elsewhere.
  func readerStands() {
    followers.standsSince = clock.now
    watchReader()
  }

  /// The connection reads again: the next bytes depend on the server alone.
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
    // The followers' responses will still arrive, but their exchanges have left: the connection can't be used after the current one.
    current.isPersistent = false
    state = .exchanging(current)
    dropFollowers()
  }

  /// Fails the pipelined exchanges behind the current one, as the connection has ended or doesn't progress: they can be sent on another connection.
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
