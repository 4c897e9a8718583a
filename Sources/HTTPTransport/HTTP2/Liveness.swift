import LoadingModel

/// Decides when an HTTP/2 connection with exchanges under way sends a PING, because nothing has been received for a while, and when its peer
/// counts as dead.
///
/// listening -> asked -> listening (an answer)
/// \----> dead
struct Liveness {
  private enum State {
    case listening
    case asked(at: Instant)
  }

  enum Verdict {
    case ping
    /// There is nothing to do before this time.
    case lookAgain(Instant)
    case dead
  }

  /// Seconds of silence before the first ping.
  static let silence = 30.0
  /// An exchange that is given up within this many seconds of its start doesn't suggest that the peer is dead.
  static let haste = 1.0
  /// Seconds within which a PING must be answered.
  static let patience = 10.0
  /// The limit in place of `patience` while the socket's buffer may still hold body bytes, which a slow network transmits before the PING.
  static let patienceWithSender = 120.0
  /// The longest interval between PINGs in seconds, while nothing else is received: servers treat frequent PINGs as an attack.
  static let longestSilence = 300.0

  private(set) var lastHeard = Instant(nanoseconds: 0)
  /// When the latest exchange began, and whether nothing has been received since.
  private var lastBegun = Instant(nanoseconds: 0)
  private var isUnanswered = false
  /// Whether a check is planned (`wake`).
  var isWatching = false
  /// The time of the next check: a wake for another time is outdated and does nothing.
  var nextLook: Instant?
  /// The planned wake for `nextLook`.
  var wake: PlannedWake?
  private var lastSent = Instant(nanoseconds: 0)
  private var state = State.listening
  private var interval = silence

  /// Bytes have been received from the peer.
  mutating func heard(_ now: Instant) {
    lastHeard = now
    isUnanswered = false
  }

  /// A part of a body has been handed to the socket.
  mutating func sent(_ now: Instant) { lastSent = now }

  /// The PING has been answered: the interval before the next one is doubled, up to `longestSilence`.
  mutating func answered() {
    guard case .asked = state else { return }
    state = .listening
    interval = min(interval * 2, Liveness.longestSilence)
  }

  mutating func verdict(_ now: Instant) -> Verdict {
    switch state {
    case .asked(let asked):
      if lastHeard > asked {
        // Any received bytes show that the peer is alive.
        state = .listening
        interval = Liveness.silence
        return verdict(now)
      }
      let limit = asked.advanced(bySeconds: patience(now))
      return now >= limit ? .dead : .lookAgain(limit)
    case .listening:
      let due = lastHeard.advanced(bySeconds: interval)
      guard now >= due else { return .lookAgain(due) }
      state = .asked(at: now)
      return .ping
    }
  }

  private func patience(_ now: Instant) -> Double {
    lastSent.advanced(bySeconds: Liveness.patienceWithSender) > now ? Liveness.patienceWithSender : Liveness.patience
  }

  /// An exchange begins. If no other is under way, the silence counts from now, unless the exchange before it also got no answer.
  mutating func began(_ now: Instant, isAlone: Bool) {
    let meetsSilence = isUnanswered
    (lastBegun, isUnanswered) = (now, true)
    guard isAlone, !meetsSilence else { return }
    state = .listening
    interval = Liveness.silence
    lastHeard = now
  }

  /// An exchange has been given up. Returns whether a PING is to be sent now: if nothing has been received since the latest exchange began.
  mutating func gaveUp(_ now: Instant) -> Bool {
    guard case .listening = state, isUnanswered, now >= lastBegun.advanced(bySeconds: Liveness.haste) else { return false }
    state = .asked(at: now)
    return true
  }
}
