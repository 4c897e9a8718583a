import Foundation

/// Decides which transfers begin, and follows the phases of those in memory: a value without disk, tasks, timers or clock.
///
/// Each event is a function that returns what the caller has to do. Identifiers are those of the database; transfers that only wait there aren't
/// known here.
struct TransferScheduler {
  /// How many transfers, and how many bytes of requests, may be under way at once.
  struct Limits: Sendable {
    var running: Int
    var ofSession: Int
    /// Maximum number of bytes that the requests of running transfers have in memory together; a single transfer may exceed it.
    var requestBytes: Int
  }

  let limits: Limits
  private(set) var phases: [Int64: TransferPhase] = [:]
  private(set) var tally = SchedulerTally()
  /// Transfers whose app was asked by `willBeginDelayedRequest`: each is asked about once.
  private var asked: Set<Int64> = []
  /// Transfers in the phase `held`, so that `release` needn't go through all phases.
  private var held: Set<Int64> = []
  /// Whether the machine's conditions have put off transfers in the latest turn: the next turn reads more of them.
  var hasPutOff = false

  init(_ limits: Limits) { self.limits = limits }

  /// Whether no transfer is running, asked about, checked or settled: an ending daemon waits for this.
  var isAtRest: Bool { tally.running == 0 && tally.occupied == 0 }

  /// Whether nothing is under way, the storing of ends included.
  var isIdle: Bool { isAtRest && tally.ending == 0 }

  /// Changes a transfer's phase, and the counts with it; nil removes the transfer. No other function changes phases.
  mutating func move(_ identifier: Int64, to phase: TransferPhase?) {
    if let before = phases[identifier] { tally.remove(identifier, before) }
    phases[identifier] = phase
    if let phase { tally.add(identifier, phase) }
    if case .held = phase { held.insert(identifier) } else { held.remove(identifier) }
  }

  // MARK: the beginning

  /// Whether the app may still be asked by `willBeginDelayedRequest` about this transfer.
  func mayAsk(before identifier: Int64) -> Bool { !asked.contains(identifier) }

  mutating func asks(before identifier: Int64, question: Int64) {
    asked.insert(identifier)
    move(identifier, to: .asking(question: question))
  }

  /// The app has answered `willBeginDelayedRequest`, or has gone. Does nothing if the transfer has ended meanwhile.
  mutating func answered(_ identifier: Int64) {
    if case .asking = phases[identifier] { move(identifier, to: nil) }
  }

  /// The file of an upload is about to be checked.
  /// - Returns: false if the transfer has ended or begun meanwhile: nothing is to be checked then.
  mutating func checks(_ identifier: Int64, of session: Int64) -> Bool {
    switch phases[identifier] {
    case .running, .settling, .ending: return false
    case .asking, .checking, .retrying, .held, nil:
      move(identifier, to: .checking(session: session, hangs: false))
      return true
    }
  }

  /// The check of the file has taken longer than `filePatience`: the transfer gives up its place.
  /// - Returns: Whether a place has become free.
  mutating func checkHangs(_ identifier: Int64) -> Bool {
    guard case .checking(let session, hangs: false) = phases[identifier] else { return false }
    move(identifier, to: .checking(session: session, hangs: true))
    return true
  }

  enum CheckEnd: Equatable {
    case begins
    /// While the check hung, other transfers have taken all places: the transfer goes back to the waiting ones.
    case hasLostItsPlace
    /// The transfer has ended while its file was checked.
    case isGone
  }

  mutating func checked(_ identifier: Int64) -> CheckEnd {
    guard case .checking(_, let hung) = phases[identifier] else { return .isGone }
    move(identifier, to: nil)
    return hung && tally.active >= limits.running ? .hasLostItsPlace : .begins
  }

  func isRunning(_ identifier: Int64) -> Bool { if case .running = phases[identifier] { true } else { false } }

  mutating func starts(_ identifier: Int64, of session: Int64, size: Int) {
    move(identifier, to: .running(TransferPhase.Running(session: session, size: size)))
  }

  // MARK: waiting

  /// An attempt has failed because of the network: the transfer waits for the next one.
  mutating func retries(_ identifier: Int64, attempts: Int) { move(identifier, to: .retrying(attempts: attempts)) }

  /// The task has completed, and the disk has refused to store the pause until the next attempt: it is kept in memory.
  mutating func holds(_ identifier: Int64, until moment: Date) {
    let attempts: Int? = if case .retrying(let attempts) = phases[identifier] { attempts } else { nil }
    move(identifier, to: .held(until: moment, attempts: attempts))
  }

  /// Ends the pauses kept in memory (`holds`) that are over.
  mutating func release(_ now: Date) {
    for identifier in held {
      guard case .held(let until, let attempts) = phases[identifier], until <= now else { continue }
      move(identifier, to: attempts.map { .retrying(attempts: $0) })
    }
  }

  /// When the earliest of the pauses kept in memory ends.
  var nextRelease: Date? {
    held.compactMap { if case .held(let until, _) = phases[$0] { until } else { nil } }.min()
  }

  /// Transfers that wait after a network failure, with their numbers of failed attempts.
  var waitingForNetwork: [Int64: Int] {
    phases.compactMapValues { phase in
      switch phase {
      case .retrying(let attempts): attempts
      case .held(_, let attempts): attempts
      case .asking, .checking, .running, .settling, .ending: nil
      }
    }
  }

  /// Ends the waits of these transfers because the networks have changed; their rows on disk are changed already.
  mutating func endWaits(for identifiers: some Sequence<Int64>) {
    for identifier in identifiers {
      switch phases[identifier] {
      case .retrying: move(identifier, to: nil)
      case .held(let until, _): move(identifier, to: .held(until: until, attempts: nil))
      case .asking, .checking, .running, .settling, .ending, nil: continue
      }
    }
  }

  // MARK: the end

  /// The transfer's complete file is being synchronized, or put at its destination.
  mutating func settles(_ identifier: Int64) { move(identifier, to: .settling) }

  mutating func settled(_ identifier: Int64) {
    if case .settling = phases[identifier] { move(identifier, to: nil) }
  }

  /// The transfer has ended, and its end is about to be stored.
  mutating func ends(_ identifier: Int64) { move(identifier, to: .ending(hasFailed: false)) }

  /// The disk has refused to store the end.
  mutating func endHasFailed(_ identifier: Int64) {
    if case .ending = phases[identifier] { move(identifier, to: .ending(hasFailed: true)) }
  }

  /// The end is stored.
  mutating func endIsKept(_ identifier: Int64) {
    if case .ending = phases[identifier] { move(identifier, to: nil) }
  }

  /// The transfer has ended: its waits are dropped. A task that hasn't completed, or a check of its file, is left to end by itself.
  mutating func finished(_ identifier: Int64) {
    asked.remove(identifier)
    switch phases[identifier] {
    case .retrying, .held: move(identifier, to: nil)
    case .asking, .checking, .running, .settling, .ending, nil: break
    }
  }

  enum Ending: Equatable {
    /// Nothing is to be done: the transfer has ended, or is about to.
    case none
    /// The task is to be cancelled; its completion ends the transfer.
    case stopsTask
    case endsAtOnce
  }

  /// The transfer's deadline has passed.
  func expires(_ identifier: Int64) -> Ending {
    switch phases[identifier] {
    case .settling, .ending: .none
    case .running: .stopsTask
    case .asking, .checking, .retrying, .held, nil: .endsAtOnce
    }
  }

  /// The app or the user cancels the transfer. If resume data is wanted and a task runs, only the task can provide it, and is cancelled first.
  func cancels(_ identifier: Int64, wantsResumeData: Bool) -> Ending {
    switch phases[identifier] {
    case .settling, .ending: .none
    case .running: wantsResumeData ? .stopsTask : .endsAtOnce
    case .asking, .checking, .retrying, .held, nil: .endsAtOnce
    }
  }

  enum Forgetting: Equatable {
    /// Nothing is to be done: work under way notices later that the transfer is gone.
    case isLeft
    case stopsTask
    case withdraws(question: Int64)
    /// The pending end, which isn't stored yet, is to be dropped.
    case dropsEnd
  }

  /// The database has deleted the transfer.
  mutating func forget(_ identifier: Int64) -> Forgetting {
    switch phases[identifier] {
    case .checking, .settling, nil: return .isLeft
    case .running: return .stopsTask
    case .asking(let question):
      move(identifier, to: nil)
      return .withdraws(question: question)
    case .ending:
      move(identifier, to: nil)
      return .dropsEnd
    case .retrying, .held:
      move(identifier, to: nil)
      return .isLeft
    }
  }
}
