import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// Stores resume data and responses of running transfers, for a later daemon if this one is killed: gathers them for a moment, and writes them in one
/// commit. A part of the daemon, confined to its queue.
final class TransferNotes: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  /// Seconds for which notes of many transfers are gathered. If the daemon is killed meanwhile, the part of a download that is lost is small.
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

  /// The attempt has ended: its unsaved notes are dropped.
  func forget(_ transfer: Int64) { unsaved[transfer] = nil }

  private func saveSoon() {
    guard !isSaving else { return }
    isSaving = true
    loop.asyncAfter(deadline: .now() + TransferNotes.pause) { [weak self] in self?.save() }
  }

  /// Stores all gathered notes; then tells apps the responses among them.
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
      // The notes are dropped: if the daemon is killed, the transfers continue from earlier notes, or from the beginning.
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
