import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// Starts apps that aren't running when all their transfers have ended or one needs an answer. A part of the daemon, confined to its queue.
final class Launcher: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  let context: DaemonContext
  /// Whether a process has this session attached.
  private let isAttached: (Int64) -> Bool
  /// Sessions whose apps are being started now, on a thread of their own.
  private var launches: Set<Int64> = []
  /// When all sessions are considered again, because a pause between launches is over; nil if none is waited for.
  private var timer: Date?

  init(_ context: DaemonContext, isAttached: @escaping (Int64) -> Bool) { (self.context, self.isAttached) = (context, isAttached) }

  /// Whether no launch is under way and none is planned.
  var isIdle: Bool { launches.isEmpty && timer == nil }

  /// Whether the session's terms say how to start its app, and `sessionSendsLaunchEvents` allows it.
  func canLaunch(_ session: Int64) -> Bool {
    guard let terms = (try? record(of: session))??.terms else { return false }
    return terms.sendsLaunchEvents && terms.launch != nil
  }

  /// Starts the apps of all sessions that need it: called when the daemon starts, and when a pause between launches is over.
  func considerAll() {
    guard isServing else { return }
    do {
      for session in try queue.sessions.all() where session.terms.launch != nil { consider(session.identifier) }
    } catch {
      report("the queue can't be read: \(error)")
    }
  }

  func consider(_ identifier: Int64) {
    guard isServing, !isAttached(identifier), !launches.contains(identifier), canLaunch(identifier) else { return }
    do {
      guard try needsApp(identifier), let session = try queue.sessions.find(identifier), let launch = session.terms.launch else { return }
      switch LaunchRules.decide(session.launches, now: now) {
      case .launches: try self.launch(session, launch)
      case .waits(let until): planLaunches(at: until)
      }
    } catch {
      report("the queue can't be used: \(error)")
    }
  }

  private func needsApp(_ session: Int64) throws -> Bool {
    let presence = queue.presence
    return try LaunchRules.needsApp(
      awaitsAnswer: presence.awaitsApp(session), hasEvents: presence.hasEvents(of: session), hasWaiting: presence.hasWaiting(in: session))
  }

  private func launch(_ session: QueueSessions.Session, _ launch: SessionTerms.Launch) throws {
    // The launch is counted before it happens: a daemon that is killed meanwhile mustn't start the app again and again.
    var history = LaunchRules.launched(session.launches, now: now)
    history.next = history.next.map { now.addingTimeInterval($0.timeIntervalSince(now) * options.launchScale) }
    try queue.sessions.keepLaunches(history, of: session.identifier)
    if let next = history.next { planLaunches(at: next) }
    launches.insert(session.identifier)
    let program = AppProgram(launch, of: session.terms, environment: context.environment)
    let name = "\(session.terms.app.name) for the session \(session.terms.identifier)"
    let identifier = session.identifier
    beside(.programs) {
      program.start()
    } then: {
      $0.launched(identifier, name, $1)
    }
  }

  private func launched(_ session: Int64, _ name: String, _ fault: String?) {
    launches.remove(session)
    note(fault.map { "\(name) can't be started: \($0)" } ?? "started \(name)")
    // The pause until the next launch may have ended while this one was under way.
    consider(session)
    considerIdleness()
  }

  private func planLaunches(at moment: Date) {
    if let planned = timer, planned <= moment, planned > now { return }
    timer = moment
    // Bounded as for turns: the timer stands still while the machine sleeps, so the time is looked at again.
    let seconds = min(DaemonContext.longestPause, max(0.01, moment.timeIntervalSince(now)))
    loop.asyncAfter(deadline: .now() + seconds) { [weak self] in
      guard let self, timer == moment else { return }
      timer = nil
      considerAll()
      considerIdleness()
    }
  }
}
