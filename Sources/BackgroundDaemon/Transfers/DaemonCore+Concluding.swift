import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation
import URLLoadingSystem

// The last steps of a transfer: its file to the disk, perhaps to its destination; the queue; the app.

extension DaemonCore {
  /// Seconds until a disk that hasn't taken an end is tried again.
  static let diskPause = 2.0

  /// Brings a complete file to the disk under its final name, beside the queue.
  func settle(_ path: String, of transfer: TransferQueue.Transfer, _ outcome: TransferOutcome) {
    let identifier = transfer.identifier
    let final = files.finished(identifier)
    occupied[identifier] = .settling
    beside(.own) {
      path == final ? 0 : TransferFiles.settle(path, as: final)
    } then: {
      $0.settled(transfer, outcome, final, $1)
    }
  }

  private func settled(_ transfer: TransferQueue.Transfer, _ outcome: TransferOutcome, _ final: String, _ code: Int32) {
    occupied[transfer.identifier] = nil
    var outcome = outcome
    if code == 0 { outcome.file = final } else { outcome.error = DaemonCore.diskFault(code) }
    conclude(transfer, outcome)
    considerEnd()
    considerIdleness()
  }

  /// Puts the file to its destination, if one was ordered; then the transfer ends.
  func conclude(_ transfer: TransferQueue.Transfer, _ outcome: TransferOutcome) {
    guard let destination = transfer.order.destination, outcome.error == nil else {
      noteSuccess(transfer, outcome, storedAs: nil)
      return end(transfer, outcome)
    }
    if let status = status(outcome), status >= 400 {
      let nothing = transfer.order.kind == .download ? "; nothing was stored" : ""
      let fault = ErrorValue(
        domain: URLErrorValue.domain, code: -1011, description: "The server answered with status \(status)\(nothing).")
      return endWithoutFile(transfer, outcome, fault)
    }
    // The response of an upload may have no body.
    guard let file = outcome.file, destination != DestinationFile.nowhere else {
      noteSuccess(transfer, outcome, storedAs: nil)
      return finish(PendingEnd(transfer: transfer, outcome: outcome, isUntold: true))
    }
    occupied[transfer.identifier] = .settling
    let touch = options.touchingFile
    beside(.file(destination)) {
      touch(destination)
      return DestinationFile.place(file, at: destination)
    } then: {
      $0.placed(transfer, outcome, destination, $1)
    }
  }

  private func placed(_ transfer: TransferQueue.Transfer, _ outcome: TransferOutcome, _ destination: String, _ fault: String?) {
    occupied[transfer.identifier] = nil
    if let fault {
      endWithoutFile(transfer, outcome, URLErrorValue.make(.cannotCreateFile, fault))
    } else {
      noteSuccess(transfer, outcome, storedAs: destination)
      finish(PendingEnd(transfer: transfer, outcome: outcome, isUntold: true))
    }
    considerEnd()
    considerIdleness()
  }

  private func endWithoutFile(_ transfer: TransferQueue.Transfer, _ outcome: TransferOutcome, _ error: ErrorValue) {
    var failed = outcome
    failed.error = error
    failed.file = nil
    note(LoggedEnding.failed.line(error.description), transfer: transfer.identifier)
    end(transfer, failed)
    if let file = outcome.file { unlink(file) }
  }

  private func status(_ outcome: TransferOutcome) -> Int? {
    (outcome.response.flatMap { BackgroundCoding.response($0) } as? HTTPURLResponse)?.statusCode
  }

  private func noteSuccess(_ transfer: TransferQueue.Transfer, _ outcome: TransferOutcome, storedAs destination: String?) {
    guard outcome.error == nil else { return }
    let status = status(outcome).map { "status \($0), " } ?? ""
    let place = destination.map { "; stored as \($0)" } ?? ""
    let text = "\(status)\(outcome.sent) bytes sent, \(outcome.received) received\(place)"
    note(LoggedEnding.finished.line(text), transfer: transfer.identifier)
  }

  // MARK: the end

  /// An end without a task.
  func end(_ transfer: TransferQueue.Transfer, with error: ErrorValue) {
    note(LoggedEnding.failed.line(error.description), transfer: transfer.identifier)
    var outcome = TransferOutcome()
    outcome.error = error
    outcome.response = transfer.response
    let progress = transfer.progress
    (outcome.sent, outcome.received) = (progress.sent, progress.received)
    (outcome.expectedToSend, outcome.expectedToReceive) = (progress.expectedToSend, progress.expectedToReceive)
    removePart(transfer.resumeData, keeping: transfer.order.resumeData)
    end(transfer, outcome)
  }

  func end(_ transfer: TransferQueue.Transfer, _ outcome: TransferOutcome) {
    finish(PendingEnd(transfer: transfer, outcome: outcome, isUntold: false))
  }

  /// Tells the queue, then the app. A disk that fails is tried again: the end isn't told before it is kept.
  private func finish(_ pending: PendingEnd) {
    let identifier = pending.transfer.identifier
    do {
      if pending.isUntold {
        try queue.finishUntold(identifier, now: wallTime)
        if let file = pending.outcome.file { files.remove(file) }
        endSessionIfOver(pending.transfer.session)
      } else {
        tell(try queue.finish(identifier, pending.outcome, now: wallTime), in: pending.transfer.session)
      }
      unsettled[identifier] = nil
      hasFinished(identifier, in: pending.transfer.session)
    } catch TransferQueueError.noTransfer {
      // It was cancelled, with its session, in the meantime.
      unsettled[identifier] = nil
      if let file = pending.outcome.file { files.remove(file) }
    } catch {
      report("the end of a transfer can't be kept: \(error)")
      unsettled[identifier] = pending
      retryEndsLater()
    }
  }

  private func retryEndsLater() {
    guard !turn.isRetryingEnds else { return }
    turn.isRetryingEnds = true
    loop.asyncAfter(deadline: .now() + DaemonCore.diskPause) { [weak self] in
      guard let self else { return }
      turn.isRetryingEnds = false
      guard isServing else { return }
      for pending in Array(unsettled.values) { finish(pending) }
    }
  }

  /// What follows from every end of a transfer.
  func hasFinished(_ identifier: Int64, in session: Int64) {
    retrying[identifier] = nil
    delayed.asked.remove(identifier)
    questions.removeLate(of: identifier)
    considerLaunch(session)
    requestTurn()
    toolsChanged()
    considerIdleness()
  }

  /// Where the app is still being told what it missed, this event is among the last of it.
  func tell(_ event: TransferEvent, in session: Int64) {
    guard let app = apps[session], case .present = app.telling else { return }
    app.link.send(DaemonMessage.event(event))
  }
}
