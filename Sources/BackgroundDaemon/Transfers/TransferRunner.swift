import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// Runs transfers: makes the task of one that may begin, and decides at the task's completion what becomes of the transfer.
///
/// The tasks of one app session belong to one `URLSession`, its engine session. A part of the daemon, confined to its queue.
final class TransferRunner: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  /// Engine sessions that may be kept without transfers, for their open connections: with that many sessions, unused ones are closed.
  private static let keptEngines = 64

  let context: DaemonContext
  let table: TransferTable
  let ends: TransferEnds
  let notes: TransferNotes
  /// By session identifier.
  private var engines: [Int64: EngineSession] = [:]
  /// The processes that have attached the sessions last, by session identifier: as they state themselves, and as the kernel does.
  private var owners: [Int64: (claimed: Int32, real: pid_t)] = [:]

  init(_ table: TransferTable, _ ends: TransferEnds) {
    (context, self.table, self.ends) = (table.context, table, ends)
    notes = TransferNotes(table)
  }

  func begin(_ transfer: TransferQueue.Transfer) {
    guard table.apps?.mayAllow(transfer) != true else { return }
    check(transfer)
  }

  /// Checks the file of an upload on a thread, because its disk may hang; then starts the transfer. Downloads start at once.
  private func check(_ transfer: TransferQueue.Transfer) {
    guard let source = transfer.order.source else { return start(transfer) }
    let (identifier, touch) = (transfer.identifier, options.touchingFile)
    guard table.scheduler.checks(identifier, of: transfer.session) else { return }
    loop.asyncAfter(deadline: .now() + options.filePatience) { [weak self] in self?.checkHangs(identifier) }
    beside(.file(source.path)) {
      touch(source.path)
      return SourceCheck.fault(source)
    } then: {
      $0.sourceChecked(identifier, $1)
    }
  }

  /// The check of the file takes too long: another transfer may begin in this one's place.
  private func checkHangs(_ identifier: Int64) {
    if table.scheduler.checkHangs(identifier) { requestTurn() }
  }

  private func sourceChecked(_ identifier: Int64, _ fault: ErrorValue?) {
    defer { considerEnd() }
    switch table.scheduler.checked(identifier) {
    case .isGone: return
    case .hasLostItsPlace: return requestTurn()
    case .begins: break
    }
    // The transfer may have been suspended, cancelled or changed during the check.
    guard isServing, let transfer = readable(identifier), !transfer.isSuspended else { return requestTurn() }
    if let fault { ends.end(transfer, with: fault) } else { start(transfer) }
  }

  private func start(_ transfer: TransferQueue.Transfer) {
    guard table.runs[transfer.identifier] == nil else { return }
    guard let engine = engine(of: transfer.session) else {
      return ends.end(
        transfer,
        with: URLErrorValue.make(.badURL, "The session's settings can't be read: app and daemon may be of different versions."))
    }
    let run: TransferRun
    do throws(EngineSession.Fault) {
      run = try engine.makeRun(transfer)
    } catch {
      return ends.end(transfer, with: error.value)
    }
    table.runs[transfer.identifier] = run
    table.scheduler.starts(transfer.identifier, of: transfer.session, size: transfer.size)
    if transfer.attempts > 0 { note("attempt \(transfer.attempts + 1) starts", transfer: transfer.identifier) }
    run.task.resume()
    toolsChanged()
  }

  private func engine(of identifier: Int64) -> EngineSession? {
    guard let session = (try? record(of: identifier)) ?? nil else { return nil }
    if let engine = engines[identifier], engine.configuration == session.terms.configuration { return engine }
    // The app has attached with other settings: new transfers use these, and running ones keep theirs.
    engines.removeValue(forKey: identifier)?.invalidate()
    if engines.count >= TransferRunner.keptEngines {
      for (other, engine) in engines where engine.isUnused {
        engine.invalidate()
        engines[other] = nil
      }
    }
    let engine = EngineSession(session.terms, self)
    engines[identifier] = engine
    return engine
  }

  /// The process has attached the session. If it isn't the one that had it last, later tasks get a new engine session: cookies and credentials that
  /// the old one has in memory end with the process for which they came. Tasks that run keep theirs.
  func isOwned(_ session: Int64, by process: (claimed: Int32, real: pid_t)) {
    if let owner = owners[session], owner == process { return }
    endEngine(of: session)
    owners[session] = process
  }

  /// The session is deleted: its connections are closed when its last task has completed.
  func endEngine(of session: Int64) {
    owners[session] = nil
    engines.removeValue(forKey: session)?.invalidate()
  }

  func endEngines() {
    for engine in engines.values { engine.invalidate() }
    engines = [:]
  }

  // MARK: suspension

  /// Suspends the task, as the app or a user wants. After `suspensionPatience` seconds the task is cancelled, and its resume data is stored.
  func suspend(_ run: TransferRun) {
    guard case .running = run.phase else { return }
    run.phase = .suspended
    run.task.suspend()
    guard case .keepsItsConnection = table.scheduler.suspends(run.identifier) else { return park(run) }
    loop.asyncAfter(deadline: .now() + options.suspensionPatience) { [weak self, weak run] in
      guard let self, let run, run.isSuspended, isServing else { return }
      park(run)
    }
    requestTurn()
  }

  private func park(_ run: TransferRun) { stop(run, .parked(next: nil, reason: nil)) }

  func resume(_ run: TransferRun) {
    guard case .suspended = run.phase else { return }
    run.phase = .running
    table.scheduler.resumes(run.identifier)
    run.task.resume()
  }

  /// Cancels the run's task. An open challenge of its app is cancelled, too.
  func stop(_ run: TransferRun, _ ending: TransferRun.Ending) {
    guard run.stop(ending) else { return }
    table.scheduler.stops(run.identifier)
    table.apps?.withdrawQuestion(of: run)
  }

  /// Cancels all tasks with resume data, so that the next daemon continues them.
  func stopRuns() {
    for run in table.runs.values { stop(run, .parked(next: nil, reason: nil)) }
  }
}
