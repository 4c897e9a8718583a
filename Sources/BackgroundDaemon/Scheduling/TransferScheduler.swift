import Foundation

/// Which transfers begin, and what becomes of those in memory: decisions without disk, tasks, timers or a clock of its own.
///
/// Each event is a function that returns what is to be done. Identifiers are the queue's; what waits on the disk alone isn't known here.
struct TransferScheduler {
  /// How much may be under way at once.
  struct Limits: Sendable {
    var running: Int
    var ofSession: Int
    /// Bytes that the requests of the running transfers have in memory, if there are more than one.
    var requestBytes: Int
  }

  let limits: Limits
  private(set) var phases: [Int64: TransferPhase] = [:]
  private(set) var tally = SchedulerTally()
  /// Transfers whose app was asked whether they may begin: it is asked once.
  private var asked: Set<Int64> = []
  /// Those that are held, so that their moments needn't be looked for among all.
  private var held: Set<Int64> = []
  /// Whether the system's conditions have put off transfers in the latest turn: more of them are looked at in the next.
  var hasPutOff = false

  init(_ limits: Limits) { self.limits = limits }

  /// Whether something is under way that the end of the daemon waits for.
  var isAtRest: Bool { tally.running == 0 && tally.occupied == 0 }

  /// Whether there is nothing to do but to wait.
  var isIdle: Bool { isAtRest && tally.ending == 0 }

  /// The one place where a phase changes.
  mutating func move(_ identifier: Int64, to phase: TransferPhase?) {
    if let before = phases[identifier] { tally.remove(identifier, before) }
    phases[identifier] = phase
    if let phase { tally.add(identifier, phase) }
    if case .held = phase { held.insert(identifier) } else { held.remove(identifier) }
  }

  // MARK: the beginning

  /// Whether the app may be asked before the transfer begins.
  func mayAsk(before identifier: Int64) -> Bool { !asked.contains(identifier) }

  mutating func asks(before identifier: Int64, question: Int64) {
    asked.insert(identifier)
    move(identifier, to: .asking(question: question))
  }

  /// The app has answered, or is gone. A transfer that has ended meanwhile stays as it is.
  mutating func answered(_ identifier: Int64) {
    if case .asking = phases[identifier] { move(identifier, to: nil) }
  }

  /// Its source is looked at.
  /// - Returns: Whether it hasn't ended or begun meanwhile.
  mutating func checks(_ identifier: Int64, of session: Int64) -> Bool {
    switch phases[identifier] {
    case .running, .settling, .ending: return false
    case .asking, .checking, .retrying, .held, nil:
      move(identifier, to: .checking(session: session, hangs: false))
      return true
    }
  }

  /// The disk hasn't answered for a while.
  /// - Returns: Whether a place has become free.
  mutating func checkHangs(_ identifier: Int64) -> Bool {
    guard case .checking(let session, hangs: false) = phases[identifier] else { return false }
    move(identifier, to: .checking(session: session, hangs: true))
    return true
  }

  enum CheckEnd: Equatable {
    case begins
    /// Others have its place by now: it is looked at again when there is one.
    case hasLostItsPlace
    /// It has ended meanwhile.
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

  /// An attempt has failed because of the network.
  mutating func retries(_ identifier: Int64, attempts: Int) { move(identifier, to: .retrying(attempts: attempts)) }

  /// The disk doesn't take the pause of a transfer whose task has completed.
  mutating func holds(_ identifier: Int64, until moment: Date) {
    let attempts: Int? = if case .retrying(let attempts) = phases[identifier] { attempts } else { nil }
    move(identifier, to: .held(until: moment, attempts: attempts))
  }

  /// Ends the pauses that are over.
  mutating func release(_ now: Date) {
    for identifier in held {
      guard case .held(let until, let attempts) = phases[identifier], until <= now else { continue }
      move(identifier, to: attempts.map { .retrying(attempts: $0) })
    }
  }

  /// When the first pause ends that the disk hasn't taken.
  var nextRelease: Date? {
    held.compactMap { if case .held(let until, _) = phases[$0] { until } else { nil } }.min()
  }

  /// Those that wait because of the network, with the attempts that have failed.
  var waitingForNetwork: [Int64: Int] {
    phases.compactMapValues { phase in
      switch phase {
      case .retrying(let attempts): attempts
      case .held(_, let attempts): attempts
      case .asking, .checking, .running, .settling, .ending: nil
      }
    }
  }

  /// The disk knows that those needn't wait any longer.
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

  /// A complete file is brought to the disk or to its destination.
  mutating func settles(_ identifier: Int64) { move(identifier, to: .settling) }

  mutating func settled(_ identifier: Int64) {
    if case .settling = phases[identifier] { move(identifier, to: nil) }
  }

  /// The end is told to the disk.
  mutating func ends(_ identifier: Int64) { move(identifier, to: .ending(hasFailed: false)) }

  /// The disk hasn't taken the end.
  mutating func endHasFailed(_ identifier: Int64) {
    if case .ending = phases[identifier] { move(identifier, to: .ending(hasFailed: true)) }
  }

  /// The disk has the end.
  mutating func endIsKept(_ identifier: Int64) {
    if case .ending = phases[identifier] { move(identifier, to: nil) }
  }

  /// Nothing of the transfer is awaited any more. A task that hasn't completed, or a look at its source, still ends by itself.
  mutating func finished(_ identifier: Int64) {
    asked.remove(identifier)
    switch phases[identifier] {
    case .retrying, .held: move(identifier, to: nil)
    case .asking, .checking, .running, .settling, .ending, nil: break
    }
  }

  enum Ending: Equatable {
    /// It has ended, or is about to.
    case none
    /// The completion of its task is the end.
    case stopsTask
    case endsAtOnce
  }

  /// Its deadline is over.
  func expires(_ identifier: Int64) -> Ending {
    switch phases[identifier] {
    case .settling, .ending: .none
    case .running: .stopsTask
    case .asking, .checking, .retrying, .held, nil: .endsAtOnce
    }
  }

  /// Its app, or a person, cancels it. What is needed to resume it only its task can say.
  func cancels(_ identifier: Int64, wantsResumeData: Bool) -> Ending {
    switch phases[identifier] {
    case .settling, .ending: .none
    case .running: wantsResumeData ? .stopsTask : .endsAtOnce
    case .asking, .checking, .retrying, .held, nil: .endsAtOnce
    }
  }

  enum Forgetting: Equatable {
    /// What is under way finds the transfer gone.
    case isLeft
    case stopsTask
    case withdraws(question: Int64)
    /// An end that the disk hasn't taken is dropped.
    case dropsEnd
  }

  /// The disk has the transfer no more.
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
