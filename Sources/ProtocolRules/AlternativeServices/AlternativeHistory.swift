import LoadingModel

/// How attempts to reach origins over HTTP/3 have ended on the present network. A value: its owner passes the time in.
package struct AlternativeHistory: Sendable {
  /// A place where an origin is said to be served over HTTP/3.
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

  /// What can be expected of a place.
  package enum Standing: Sendable, Hashable {
    /// It hasn't been tried, or has failed so long ago that it may be tried again.
    case untried
    /// It has worked, and hasn't failed since.
    case proven
    /// It has failed, and isn't to be tried until then.
    case broken(until: Instant)
  }

  private enum Outcome: Sendable {
    case worked
    /// So many times in succession. With a last resort it is tried once more before then, if nothing else is left.
    case failed(Int, until: Instant, hasLastResort: Bool)
  }

  private struct Entry: Sendable {
    var outcome: Outcome
    var order: Int
  }

  /// Places that are remembered. Beyond it, the tenth whose outcomes are oldest is forgotten.
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

  /// The place is left alone for a while, each time for longer. Several attempts that fail during such a while count once.
  ///
  /// - Parameter wasReached: Whether a connection was there, and broke. Where none could be made, there is none to be had in that while.
  package mutating func failed(_ place: Place, now: Instant, wasReached: Bool = false) {
    var failures = 1
    if case .failed(let before, let until, _)? = entries[place]?.outcome {
      guard until <= now else { return }
      failures = before + 1
    }
    let until = now.advanced(bySeconds: AlternativeRules.pause(afterFailures: failures))
    note(.failed(failures, until: until, hasLastResort: wasReached), place)
  }

  /// Whether a place that is left alone may be tried nevertheless, for the origin can't be reached otherwise: once in each while.
  package mutating func takeLastResort(_ place: Place, now: Instant) -> Bool {
    guard case .failed(let failures, let until, true)? = entries[place]?.outcome, until > now else { return false }
    entries[place]?.outcome = .failed(failures, until: until, hasLastResort: false)
    return true
  }

  /// When attempts over TCP may begin beside one at `place`; nil if there is none at the place now.
  ///
  /// - Parameter isLastResort: Whether the origin can't be reached otherwise: then a place is tried that has failed, too.
  package mutating func startOfTCP(beside place: Place, now: Instant, isLastResort: Bool) -> Instant? {
    switch standing(of: place, now: now) {
    case .broken: isLastResort && takeLastResort(place, now: now) ? now : nil
    // It may not work from here at all: the first load must not become slower by it.
    case .untried: now
    case .proven: now.advanced(bySeconds: AlternativeRules.headStart)
    }
  }

  /// Seconds for which a failure over TCP is held back while an attempt at `place` is under way.
  ///
  /// - Parameter isLikely: Whether it is likely to be there, even if it hasn't worked yet.
  package func patience(with place: Place, now: Instant, isLikely: Bool) -> Double {
    if case .proven = standing(of: place, now: now) { return AlternativeRules.longPatience }
    return isLikely ? AlternativeRules.longPatience : AlternativeRules.patience
  }

  /// What one network drops another may carry, and the other way round.
  package mutating func networkChanged() { entries = [:] }

  private mutating func note(_ outcome: Outcome, _ place: Place) {
    order += 1
    entries[place] = Entry(outcome: outcome, order: order)
    guard entries.count > AlternativeHistory.limit else { return }
    let oldest = entries.sorted { $0.value.order < $1.value.order }.prefix(AlternativeHistory.limit / 10)
    for (place, _) in oldest { entries[place] = nil }
  }
}
