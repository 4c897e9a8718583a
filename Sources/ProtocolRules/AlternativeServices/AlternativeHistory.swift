import LoadingModel

/// How the attempts to reach origins over HTTP/3 have ended on the present network. A value without a clock: callers pass the time in.
package struct AlternativeHistory: Sendable {
  /// A host and port at which an origin is said to be served over HTTP/3.
  package struct Place: Sendable, Hashable {
    package let origin: Origin
    package let host: String
    package let port: Int

    package init(_ origin: Origin, host: String, port: Int) {
      self.origin = origin
      self.host = host
      self.port = port
    }
  }

  /// What earlier attempts say about a place.
  package enum Standing: Sendable, Hashable {
    /// No attempt at the place is noted, or the pause after its last failure is over: it may be tried.
    case untried
    /// The last attempt at the place has succeeded.
    case proven
    /// The last attempt at the place has failed. No attempt is made before `until`, except as a last resort.
    case broken(until: Instant)
  }

  private enum Outcome: Sendable {
    case worked
    /// The number of failures in succession, and the end of the pause. `hasLastResort`: whether one attempt may still be made during the pause if
    /// the origin can't be reached otherwise.
    case failed(Int, until: Instant, hasLastResort: Bool)
  }

  private struct Entry: Sendable {
    var outcome: Outcome
    var order: Int
  }

  /// The most places in the table. When there are more, those with the oldest outcomes are removed: a tenth of the limit.
  package static let limit = 1000

  private var entries: [Place: Entry] = [:]
  private var order = 0

  package init() {}

  package var count: Int { entries.count }

  package func standing(of place: Place, now: Instant) -> Standing {
    switch entries[place]?.outcome {
    case nil: .untried
    case .worked?: .proven
    case .failed(_, let until, _)?: until > now ? .broken(until: until) : .untried
    }
  }

  package mutating func succeeded(_ place: Place) { note(.worked, place) }

  /// Notes a failed attempt: the place isn't tried during a pause, which doubles with each failure. Failures during the pause don't count again.
  ///
  /// - Parameter wasReached: Whether a connection was established and then broke. Only then one last-resort attempt is allowed during the pause.
  package mutating func failed(_ place: Place, now: Instant, wasReached: Bool = false) {
    var failures = 1
    if case .failed(let before, let until, _)? = entries[place]?.outcome {
      guard until <= now else { return }
      failures = before + 1
    }
    let until = now.advanced(bySeconds: AlternativeRules.pause(afterFailures: failures))
    note(.failed(failures, until: until, hasLastResort: wasReached), place)
  }

  /// Whether a place in its pause may be tried because the origin can't be reached otherwise. True at most once in each pause.
  package mutating func takeLastResort(_ place: Place, now: Instant) -> Bool {
    guard case .failed(let failures, let until, true)? = entries[place]?.outcome, until > now else { return false }
    entries[place]?.outcome = .failed(failures, until: until, hasLastResort: false)
    return true
  }

  /// When the attempts over TCP may begin beside an HTTP/3 attempt at `place`; nil if HTTP/3 isn't to be tried there now.
  ///
  /// - Parameter isLastResort: Whether the origin can't be reached otherwise: then a place in its pause may be tried, too.
  package mutating func startOfTCP(beside place: Place, now: Instant, isLastResort: Bool) -> Instant? {
    switch standing(of: place, now: now) {
    case .broken: isLastResort && takeLastResort(place, now: now) ? now : nil
    // UDP may not pass on this network at all: TCP starts at the same time, so that the first load isn't delayed.
    case .untried: now
    case .proven: now.advanced(bySeconds: AlternativeRules.headStart)
    }
  }

  /// Seconds for which a failure over TCP is held back while an attempt at `place` is under way.
  ///
  /// - Parameter isLikely: Whether the place is likely to speak HTTP/3, even if no attempt has succeeded yet.
  package func patience(with place: Place, now: Instant, isLikely: Bool) -> Double {
    if case .proven = standing(of: place, now: now) { return AlternativeRules.longPatience }
    return isLikely ? AlternativeRules.longPatience : AlternativeRules.patience
  }

  /// Forgets all outcomes: UDP packets that one network drops may pass on another, and vice versa.
  package mutating func networkChanged() { entries = [:] }

  private mutating func note(_ outcome: Outcome, _ place: Place) {
    order += 1
    entries[place] = Entry(outcome: outcome, order: order)
    guard entries.count > AlternativeHistory.limit else { return }
    let oldest = entries.sorted { $0.value.order < $1.value.order }.prefix(AlternativeHistory.limit / 10)
    for (place, _) in oldest { entries[place] = nil }
  }
}
