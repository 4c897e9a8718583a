import BackgroundTransfers
import Foundation
import URLLoadingSystem

/// One attempt of a transfer: a task of the session's `URLSession`. Confined to the daemon's queue.
///
///     running ◂──▸ suspended
///        └────────────┴──▸ ending(why) ──▸ gone, when the task has completed
final class TransferRun: @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  enum Phase {
    case running
    /// It keeps its connection for a while.
    case suspended
    case ending(Ending)
  }

  /// Why the daemon ends the task, which decides what its completion means.
  enum Ending {
    /// The queue has been told of the end already, or has the transfer no more.
    case discarded
    /// It is resumed later.
    case parked(next: Date?, reason: String?)
    /// The app, or a person, wants the end and what is needed to resume.
    case cancelled
    case failed(ErrorValue)
  }

  var transfer: TransferQueue.Transfer
  let task: URLSessionTask
  let engine: EngineSession
  /// Whether what it resumes was kept by the queue, not given by the app.
  let resumesKept: Bool
  var phase = Phase.running
  var progress: TransferProgress
  /// Bytes that were there before, both ways.
  var bytesBefore: Int64
  var response: Data?
  var metrics: Data?
  /// The complete file, under its first name.
  var arrived: String?
  var body: ResponseBodyFile?
  /// What went wrong with the files of the transfer.
  var fault: ErrorValue?
  /// Bytes of the request, which the task has in memory.
  let requestSize: Int
  /// What the app hasn't answered yet.
  var question: Int64?
  /// Whether something was decided without its app, which wasn't there to be asked.
  var lackedApp = false
  var waitsForNetwork = false
  /// Of a download that can be resumed.
  var writeback: PartWriteback?
  var writtenBack: Int64 = 0
  var isWritingBack = false

  init(_ transfer: TransferQueue.Transfer, _ task: URLSessionTask, _ engine: EngineSession, resumesKept: Bool) {
    requestSize = transfer.size
    self.transfer = transfer
    // The task has it.
    self.transfer.order.request = Data()
    self.task = task
    self.engine = engine
    self.resumesKept = resumesKept
    progress = transfer.progress
    bytesBefore = transfer.progress.sent + transfer.progress.received
  }

  var identifier: Int64 { transfer.identifier }

  var session: Int64 { transfer.session }

  var isEnding: Bool { if case .ending = phase { true } else { false } }

  var isSuspended: Bool { if case .suspended = phase { true } else { false } }

  /// Whether it takes one of the places for running transfers. What waits for its app mustn't hinder others.
  var isActive: Bool { !isSuspended && question == nil }

  /// Whether this attempt has got further than the one before.
  var hasAdvanced: Bool { progress.sent + progress.received > bytesBefore }

  /// What the app is told at the end.
  func outcome(_ error: ErrorValue? = nil) -> TransferOutcome {
    var outcome = TransferOutcome()
    outcome.response = task.response.flatMap { BackgroundCoding.data($0) } ?? response
    outcome.error = error
    outcome.sent = task.countOfBytesSent
    outcome.received = task.countOfBytesReceived
    outcome.expectedToSend = task.countOfBytesExpectedToSend
    outcome.expectedToReceive = task.countOfBytesExpectedToReceive
    outcome.metrics = metrics
    if let current = task.currentRequest, current != task.originalRequest { outcome.currentRequest = BackgroundCoding.data(current) }
    return outcome
  }

  /// The counts as the task has them now.
  func takeCounts() {
    progress.sent = task.countOfBytesSent
    progress.received = task.countOfBytesReceived
    progress.expectedToSend = task.countOfBytesExpectedToSend
    progress.expectedToReceive = task.countOfBytesExpectedToReceive
  }

  /// Ends the task; its completion comes later. The first reason counts, except that a transfer that is no more stays so.
  /// - Returns: Whether the task was told to end.
  @discardableResult
  func stop(_ ending: Ending) -> Bool {
    if isEnding {
      if case .discarded = ending { phase = .ending(.discarded) }
      return false
    }
    phase = .ending(ending)
    switch ending {
    case .parked, .cancelled: cancelKeepingParts()
    case .discarded, .failed: task.cancel()
    }
    return true
  }

  private func cancelKeepingParts() {
    // The error of the task's completion has the same data.
    if let download = task as? URLSessionDownloadTask {
      download.cancel { _ in }
    } else if let upload = task as? URLSessionUploadTask {
      upload.cancel { _ in }
    } else {
      task.cancel()
    }
  }
}
