import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// What is kept of running transfers in case the daemon is killed: gathered for a moment, then written down in one commit. A part of the daemon,
/// confined to its queue.
final class TransferNotes: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  /// Seconds for which notes of many transfers are gathered. A part of a download that is lost with them is small.
  private static let pause = 0.05

  private struct Notes {
    var resumeData: Data?
    var response: Data?
  }

  let context: DaemonContext
  private let table: TransferTable
  private var unsaved: [Int64: Notes] = [:]
  private var isSaving = false

  init(_ table: TransferTable) { (context, self.table) = (table.context, table) }

  func keep(response: Data, of transfer: Int64) {
    unsaved[transfer, default: Notes()].response = response
    saveSoon()
  }

  func keep(resumeData: Data, of transfer: Int64) {
    unsaved[transfer, default: Notes()].resumeData = resumeData
    saveSoon()
  }

  /// Its attempt has ended.
  func forget(_ transfer: Int64) { unsaved[transfer] = nil }

  private func saveSoon() {
    guard !isSaving else { return }
    isSaving = true
    loop.asyncAfter(deadline: .now() + TransferNotes.pause) { [weak self] in self?.save() }
  }

  /// Writes down what has come since the last time. Apps are told of responses that are kept.
  func save() {
    isSaving = false
    guard !unsaved.isEmpty, context.host?.hasEnded == false else { return }
    do {
      try queue.transaction { queue in
        for (identifier, notes) in unsaved {
          if let data = notes.resumeData { try queue.keepResumeData(data, identifier) }
          if let response = notes.response { try queue.keepResponse(response, identifier) }
        }
      }
      tellResponses()
    } catch {
      // Without them a transfer begins anew after the daemon was killed.
      report("the queue can't be written: \(error)")
    }
    unsaved = [:]
  }

  private func tellResponses() {
    for (identifier, notes) in unsaved {
      guard let response = notes.response, let run = table.runs[identifier] else { continue }
      table.apps?.send(.response(task: run.transfer.order.task, response), to: run.session)
    }
  }
}
