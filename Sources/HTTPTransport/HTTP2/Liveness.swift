import LoadingModel

/// Whether the peer of a connection is still there: asked by PING when exchanges are under way and nothing has come for a while.
///
///     listening -> asked -> listening (an answer)
///                    \----> dead
struct Liveness {
  private enum State {
    case listening
    case asked(at: Instant)
  }

  enum Verdict {
    case ping
    /// Nothing to do before then.
    case lookAgain(Instant)
    case dead
  }

  /// Seconds of silence before the first ping.
  static let silence = 30.0
  /// Seconds within which giving up an exchange says nothing about the peer.
  static let haste = 1.0
  /// Seconds that the peer has for its answer.
  static let patience = 10.0
  /// The same while a body may still be on its way through a slow network, before which the ping can't get there.
  static let patienceWithSender = 120.0
  /// Seconds between pings, where nothing else comes, at most: servers take many pings for an attack.
  static let longestSilence = 300.0

  private(set) var lastHeard = Instant(nanoseconds: 0)
  /// When an exchange was begun last, and whether nothing has come since.
  private var lastBegun = Instant(nanoseconds: 0)
  private var isUnanswered = false
  /// Whether a wake of the clock is under way.
  var isWatching = false
  /// When the next look is; wakes for other moments have been overtaken.
  var nextLook: Instant?
  /// The latest of them.
  var wake: PlannedWake?
  private var lastSent = Instant(nanoseconds: 0)
  private var state = State.listening
  private var interval = silence

  /// Something has come.
  mutating func heard(_ now: Instant) {
    lastHeard = now
    isUnanswered = false
  }

  /// A part of a body has been handed to the socket.
  mutating func sent(_ now: Instant) { lastSent = now }

  /// The ping has been answered; the next one, if nothing else comes, can wait longer.
  mutating func answered() {
    guard case .asked = state else { return }
    state = .listening
    interval = min(interval * 2, Liveness.longestSilence)
  }

  mutating func verdict(_ now: Instant) -> Verdict {
    switch state {
    case .asked(let asked):
      if lastHeard > asked {
        // Anything that comes is a sign of life.
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

  /// An exchange begins. If it is the only one, the silence so far means nothing, unless the one before it was met with silence as well.
  mutating func began(_ now: Instant, isAlone: Bool) {
    let meetsSilence = isUnanswered
    (lastBegun, isUnanswered) = (now, true)
    guard isAlone, !meetsSilence else { return }
    state = .listening
    interval = Liveness.silence
    lastHeard = now
  }

  /// An exchange has been given up. Whether to ask at once if the peer is there: it has said nothing since the last one began.
  mutating func gaveUp(_ now: Instant) -> Bool {
    guard case .listening = state, isUnanswered, now >= lastBegun.advanced(bySeconds: Liveness.haste) else { return false }
    state = .asked(at: now)
    return true
  }
}
