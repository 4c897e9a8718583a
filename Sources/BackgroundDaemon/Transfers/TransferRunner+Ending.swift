import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation
import URLLoadingSystem

// The completion of tasks: what the database stores of it, and whether the transfer has another attempt.

extension TransferRunner {
  /// The task has completed. What this means for the transfer depends on why it was cancelled, if it was.
  func hasEnded(_ run: TransferRun, _ error: (any Error)?) {
    table.runs[run.identifier] = nil
    table.scheduler.completed(run.identifier)
    notes.forget(run.identifier)
    table.apps?.withdrawQuestion(of: run)
    run.takeCounts()
    defer {
      requestTurn()
      considerEnd()
      considerIdleness()
      toolsChanged()
    }
    let value = error.map { BackgroundCoding.value($0) }
    switch run.phase {
    case .ending(.discarded): discard(run, value)
    // The task completed before its cancellation took effect: a complete transfer counts as a success.
    case .ending where value == nil && run.fault == nil: succeed(run)
    case .ending(.parked(let next, let reason)): park(run, value, next, reason)
    case .ending(.cancelled): endCancelled(run, value)
    case .ending(.failed(let fault)):
      discard(run, value)
      ends.end(run.transfer, run.outcome(fault), LoggedEnding.failed.line(text(fault)))
    case .running, .suspended:
      if let fault = run.fault {
        discard(run, value)
        ends.end(run.transfer, run.outcome(fault), LoggedEnding.failed.line(text(fault)))
      } else if let value {
        fail(run, value)
      } else {
        succeed(run)
      }
    }
  }

  /// Removes the files of the run, because nothing will use them.
  private func discard(_ run: TransferRun, _ error: ErrorValue?) {
    if let arrived = run.arrived { unlink(arrived) }
    if let body = run.body { unlink(body.path) }
    files.removePart(error?.resumeData ?? run.transfer.resumeData, keeping: run.transfer.order.resumeData)
  }

  private func endCancelled(_ run: TransferRun, _ error: ErrorValue?) {
    if let body = run.body { unlink(body.path) }
    var value = URLErrorValue.cancelled
    value.failingURL = error?.failingURL
    value.resumeData = error?.resumeData
    ends.end(run.transfer, run.outcome(value), LoggedEnding.cancelled.line("by the app"))
  }

  /// The transfer waits for a later attempt; its resume data is stored.
  private func park(_ run: TransferRun, _ error: ErrorValue?, _ next: Date?, _ reason: String?) {
    if let body = run.body { unlink(body.path) }
    // The app has attached or answered while the task ended: the next attempt may begin at once.
    if reason == WaitReason.app, table.apps?.isWaitedFor(by: run) == false {
      return keepWaiting(run, error?.resumeData, attempts: run.transfer.attempts, nil, nil)
    }
    keepWaiting(run, error?.resumeData, attempts: run.transfer.attempts, next, reason)
    if reason == WaitReason.app { table.apps?.considerLaunch(run.session) }
  }

  private func succeed(_ run: TransferRun) {
    let outcome = run.outcome()
    switch run.transfer.order.kind {
    case .download:
      guard let arrived = run.arrived else {
        return fail(run, with: URLErrorValue.make(.cannotOpenFile, "What was downloaded has vanished."))
      }
      ends.settle(arrived, of: run.transfer, outcome)
    case .upload:
      guard let body = run.body else { return ends.conclude(run.transfer, outcome) }
      let arrived = files.arrived(run.identifier)
      guard rename(body.path, arrived) == 0 else { return fail(run, with: TransferFiles.diskFault(errno)) }
      ends.settle(arrived, of: run.transfer, outcome)
    }
  }

  // MARK: failure

  private func fail(_ run: TransferRun, _ error: ErrorValue) {
    if let body = run.body { unlink(body.path) }
    let hasAdvanced = run.hasAdvanced(leaving: error.resumeData)
    // The stored resume data can't be used: the transfer begins anew, at once.
    if run.resumesKept, error.code == URLErrorValue.Code.unsupportedURL.rawValue, !hasAdvanced {
      return retry(run, error, attempts: run.transfer.attempts, after: 0)
    }
    let attempts = hasAdvanced ? 0 : run.transfer.attempts
    switch TransferRetryRules.decide(error, attempts: attempts, isHTTPAnswer: false, random: .random(in: 0...1)) {
    case .retries(let seconds): retry(run, error, attempts: attempts + 1, after: seconds * options.retryScale)
    case .fails:
      if let end = table.apps?.waitEnd(of: run, after: error) {
        note("waits for its app: \(text(error))", transfer: run.identifier)
        return park(run, error, end, WaitReason.app)
      }
      fail(run, with: error)
    }
  }

  /// Ends the transfer with the error, without another attempt.
  private func fail(_ run: TransferRun, with error: ErrorValue) {
    ends.end(run.transfer, run.outcome(error), LoggedEnding.failed.line(text(error)))
  }

  private func retry(_ run: TransferRun, _ error: ErrorValue, attempts: Int, after seconds: Double) {
    let next = now.addingTimeInterval(seconds)
    let reason = text(error)
    table.scheduler.retries(run.identifier, attempts: attempts)
    let pause = seconds.formatted(.number.precision(.fractionLength(0...1)))
    keepWaiting(run, error.resumeData, attempts: attempts, next, reason, logging: "tried again in \(pause) s: \(reason)")
  }

  private func text(_ error: ErrorValue) -> String { ShownText.withoutQueries(error.reason ?? error.description) }

  /// Stores when and why the next attempt is, and the resume data for it. If the disk refuses, the scheduler holds the transfer until `next`, for
  /// `diskPause` seconds at least; what the attempt had received may be lost then.
  private func keepWaiting(
    _ run: TransferRun, _ resumeData: Data?, attempts: Int, _ next: Date?, _ reason: String?, logging line: String? = nil
  ) {
    do {
      try queue.transaction { queue in
        try queue.keepResumeData(resumeData, run.identifier)
        try queue.keepProgress(run.progress, run.identifier)
        try queue.keepAttempt(attempts, next: next, reason: reason, awaitsApp: reason == WaitReason.app, run.identifier)
        if let line { try queue.log.add(line, transfer: run.identifier, now: wallTime) }
      }
    } catch {
      report("the queue can't be written: \(error)")
      table.scheduler.holds(run.identifier, until: max(next ?? now, now.addingTimeInterval(DaemonContext.diskPause)))
    }
  }
}
