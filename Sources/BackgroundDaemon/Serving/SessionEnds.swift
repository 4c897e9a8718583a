import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// Removes events that apps have taken, and sessions that are over. A part of the daemon, confined to its queue.
final class SessionEnds: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  /// Maximum number of events that one transaction removes, and about how many bytes of them.
  private static let removedAtOnce = 500
  private static let removedBytes = 3 << 20
  /// Minimum number of seconds between two searches for sessions that aren't used any more.
  private static let shortestLook = 1.0

  let context: DaemonContext
  private let runner: TransferRunner
  private let apps: AttachedApps

  init(_ runner: TransferRunner, _ apps: AttachedApps) { (context, self.runner, self.apps) = (runner.context, runner, apps) }

  /// Removes all events of a session that its app has cancelled: the app isn't told any more.
  func removeEvents(of session: Int64) {
    do {
      var page: TransferQueue.EventPage
      repeat {
        page = try queue.eventPage(of: session, limit: SessionEnds.removedAtOnce, bytes: SessionEnds.removedBytes)
        remove(try queue.take(page.events.map(\.identifier), of: session))
      } while !page.isLast
    } catch {
      report("the queue can't be written: \(error)")
    }
  }

  // MARK: journals of taken events

  /// Reads the journals of all sessions, and removes the events that they name.
  func takeJournals() {
    do { takeJournals(of: try queue.sessions.all().map(\.identifier)) } catch { report("the queue can't be read: \(error)") }
  }

  func takeJournals(of sessions: [Int64]) {
    for session in sessions {
      do { remove(try takeJournal(of: session)) } catch { report("a journal of taken events can't be used: \(error)") }
    }
  }

  /// Removes the events that the session's journal names, then empties the journal.
  /// - Returns: Files of the events, to be removed after the commit.
  private func takeJournal(of session: Int64) throws -> [String] {
    var files: [String] = []
    try TakenJournal(folder: context.places.taken, session: session).takeAll { events in
      files = try take(events, of: session)
    }
    return files
  }

  /// Removes events that the app has taken.
  /// - Returns: Files of the events, to be removed after the commit.
  func take(_ events: [Int64], of identifier: Int64) throws -> [String] {
    let files = try queue.take(events, of: identifier)
    try endLaunchPauses(of: identifier)
    return files
  }

  /// The app takes events or answers: its launches don't count as failed any more, so that it may be launched again without a pause.
  func endLaunchPauses(of identifier: Int64) throws {
    // Called for each event that an app takes: the session's terms are read only if there were failed launches.
    guard try queue.sessions.launchFailures(of: identifier) > 0, let session = try queue.sessions.find(identifier) else { return }
    try queue.sessions.keepLaunches(LaunchRules.tookEvents(session.launches), of: identifier)
  }

  func remove(_ files: [String]) {
    for file in files { self.files.remove(file) }
  }

  /// Forgets an invalidated session that has no tasks and events left.
  func endSessionIfOver(_ identifier: Int64) {
    do {
      guard try queue.sessions.isInvalidated(identifier) else { return }
      try queue.sessions.removeIfEmpty(identifier)
      guard try queue.sessions.find(identifier) == nil else { return }
      forget(session: identifier)
    } catch {
      report("the queue can't be written: \(error)")
    }
  }

  /// Forgets sessions that no app has used for `sessionLife` seconds without invalidating them: now, and again from time to time, when old parts of
  /// downloads are removed as well.
  func forgetUnused() {
    guard isServing else { return }
    do {
      let moment = now.addingTimeInterval(-options.sessionLife)
      for session in try queue.sessions.removeUnused(since: moment, except: Set(apps.all.keys)) { forget(session: session) }
    } catch {
      report("the queue can't be written: \(error)")
    }
    let pause = max(SessionEnds.shortestLook, options.sessionLife / 30)
    loop.asyncAfter(deadline: .now() + pause) { [weak self] in
      guard let self, isServing else { return }
      LeftFiles(runner.ends).removeOldParts(besides: Array(runner.table.runs.values))
      forgetUnused()
    }
  }

  /// The database has deleted the session: its connections and its journal go, too.
  private func forget(session: Int64) {
    context.sessions[session] = nil
    runner.endEngine(of: session)
    TakenJournal(folder: context.places.taken, session: session).remove()
  }

  // MARK: damaged transfers

  /// Tells apps of transfers that the database has ended because their rows are damaged, as of any other end.
  func tellDamaged() {
    guard isServing else { return }
    do {
      for (session, event) in try queue.takeDamaged() {
        if let run = runner.table.runs[event.identifier] { runner.stop(run, .discarded) }
        note(LoggedEnding.failed.line(event.outcome.error?.description ?? ""), transfer: event.identifier)
        apps.tell(event, in: session)
        runner.ends.hasFinished(event.identifier, in: session)
      }
    } catch {
      report("the queue can't be read: \(error)")
    }
  }
}
