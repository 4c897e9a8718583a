import BackgroundTransfers
import Foundation
import ProtocolRules
import URLLoadingSystem

/// One attempt of a transfer: a task of the session's `URLSession`. Confined to the daemon's queue.
///
///     running ◂──▸ suspended
///        └────────────┴──▸ ending(why) ──▸ gone, when the task has completed
final class TransferRun: @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  enum Phase {
    case running
    /// The task is suspended, and keeps its connection for a while.
    case suspended
    case ending(Ending)
  }

  /// Why the daemon cancels the task; decides what the task's completion means.
  enum Ending {
    /// The end is stored already, or the transfer was deleted: its files are removed.
    case discarded
    /// The transfer is resumed in a later attempt, not before `next`.
    case parked(next: Date?, reason: String?)
    /// The app or the user cancels the transfer, and gets resume data.
    case cancelled
    case failed(ErrorValue)

    /// Whether this reason takes the place of the earlier one, of a task that hasn't completed yet. An ending without an event gives way to no other;
    /// a wait for a later attempt gives way to an end.
    func replaces(_ earlier: Ending) -> Bool {
      switch (self, earlier) {
      case (.discarded, _), (.cancelled, .parked), (.failed, .parked): true
      case (.parked, _), (.cancelled, _), (.failed, _): false
      }
    }
  }

  var transfer: TransferQueue.Transfer
  let task: URLSessionTask
  let engine: EngineSession
  /// Whether the task resumes from data that the daemon has stored, as opposed to data that the app gave.
  let resumesKept: Bool
  var phase = Phase.running
  var progress: TransferProgress
  /// The resume data with which the attempt has begun; nil if it has begun anew.
  private let resumed: Data?
  var response: Data?
  var metrics: Data?
  /// Path of the complete file, before it is synchronized and gets its final name.
  var arrived: String?
  var body: ResponseBodyFile?
  /// The first error about the transfer's files, its response body or a redirect; it takes the place of the task's own error.
  var fault: ErrorValue?
  /// Bytes of the request, which the task has in memory.
  let requestSize: Int
  /// Number of the question about this run that the app hasn't answered.
  var question: Int64?
  /// Whether a challenge was answered without the app, because the app wasn't attached.
  var lackedApp = false
  var waitsForNetwork = false
  /// Writes the file of a download that can be resumed to the disk while it grows.
  var writeback: PartWriteback?
  var writtenBack: Int64 = 0
  var isWritingBack = false

  init(_ transfer: TransferQueue.Transfer, _ task: URLSessionTask, _ engine: EngineSession, resumesKept: Bool) {
    requestSize = transfer.size
    self.transfer = transfer
    // The task has the request: a second copy would only take memory.
    self.transfer.order.request = Data()
    self.task = task
    self.engine = engine
    self.resumesKept = resumesKept
    progress = transfer.progress
    resumed = transfer.resumeData ?? transfer.order.resumeData
  }

  var identifier: Int64 { transfer.identifier }

  var session: Int64 { transfer.session }

  var isEnding: Bool { if case .ending = phase { true } else { false } }

  var isSuspended: Bool { if case .suspended = phase { true } else { false } }

  /// Whether the run takes one of the places for running transfers. A run that waits for an answer of its app takes none.
  var isActive: Bool { !isSuspended && question == nil }

  /// Whether this attempt, which has failed, leaves the next one more than it had itself: bytes that can't be resumed from don't count.
  /// - Parameter resumeData: What the failed task hands over; nil if the next attempt begins anew.
  func hasAdvanced(leaving resumeData: Data?) -> Bool {
    TransferRun.hasAdvanced(transfer.order.kind, from: resumed, to: resumeData)
  }

  /// Whether the later resume data says that more has arrived than the earlier does, nil counting as nothing.
  static func hasAdvanced(_ kind: TransferOrder.Kind, from earlier: Data?, to later: Data?) -> Bool {
    func arrived(_ data: Data?) -> Int64 {
      guard let data else { return 0 }
      return (kind == .download ? ResumeData.received(in: data) : UploadResumeData(data)?.offset) ?? 0
    }
    return arrived(later) > arrived(earlier)
  }

  /// The outcome that the app is told at the end: with response, counts and metrics of the task.
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

  /// Reads the byte counts from the task.
  func takeCounts() {
    progress.sent = task.countOfBytesSent
    progress.received = task.countOfBytesReceived
    progress.expectedToSend = task.countOfBytesExpectedToSend
    progress.expectedToReceive = task.countOfBytesExpectedToReceive
  }

  /// Cancels the task, which completes later. The first reason counts, unless a later one replaces it (`Ending.replaces`).
  /// - Returns: Whether this call cancelled the task; false if it was ending already.
  @discardableResult
  func stop(_ ending: Ending) -> Bool {
    if case .ending(let earlier) = phase {
      if ending.replaces(earlier) { phase = .ending(ending) }
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
    // The resume data passed to the handler isn't needed: the error of the task's completion has it, too.
    if let download = task as? URLSessionDownloadTask {
      download.cancel { _ in }
    } else if let upload = task as? URLSessionUploadTask {
      upload.cancel { _ in }
    } else {
      task.cancel()
    }
  }
}
