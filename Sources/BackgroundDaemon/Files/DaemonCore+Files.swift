import BackgroundTransfers
import Foundation
import URLLoadingSystem

extension DaemonCore {
  /// Removes files that no transfer knows, and takes those that were complete when an earlier daemon ended.
  func tidyFiles() {
    var old: [String] = []
    let areLost = files.machineHasStopped()
    if areLost {
      do { try queue.forgetParts() } catch { report("the queue can't be written: \(error)") }
    }
    for name in files.names {
      switch files.kind(name) {
      case .partial where areLost: unlink(files.path(name))
      case .partial: if files.isOutdated(name, now: now) { old.append(name) }
      case .body, .arrived(_, isOfThisBoot: false), .foreign: unlink(files.path(name))
      case .arrived(let transfer, isOfThisBoot: true): adopt(name, of: transfer)
      case .finished(let transfer): adopt(name, of: transfer)
      }
    }
    removeUnreferenced(old)
  }

  /// The file is complete. If the transfer hasn't ended, that is what the earlier daemon didn't come to say.
  private func adopt(_ name: String, of identifier: Int64) {
    let path = files.path(name)
    do {
      guard let transfer = try queue.transfer(identifier) else {
        // An event has it, or it is an orphan.
        if try queue.order(identifier) == nil { unlink(path) }
        return
      }
      guard let response = transfer.response else {
        unlink(path)
        return
      }
      var outcome = TransferOutcome()
      outcome.response = response
      outcome.sent = transfer.progress.sent
      let size = TransferFiles.size(path) ?? 0
      outcome.received = size
      (outcome.expectedToSend, outcome.expectedToReceive) = (transfer.progress.expectedToSend, size)
      settle(path, of: transfer, outcome)
    } catch {
      report("the queue can't be read: \(error)")
    }
  }

  /// Looks into all transfers only if there are files that may be superfluous, which is seldom.
  private func removeUnreferenced(_ names: [String]) {
    guard !names.isEmpty, let sessions = try? queue.sessions() else { return }
    var kept: Set<String> = []
    for session in sessions {
      guard let transfers = try? queue.transfers(of: session.identifier), let events = try? queue.events(of: session.identifier) else {
        return
      }
      let data = transfers.flatMap { [$0.resumeData, $0.order.resumeData] } + events.map { $0.outcome.error?.resumeData }
      kept.formUnion(data.compactMap { $0 }.compactMap { ResumeData.fileName(in: $0) })
    }
    for name in names where !kept.contains(name) { unlink(files.path(name)) }
  }

  /// The part of a download that isn't going to be continued.
  func removePart(_ resumeData: Data?, keeping other: Data?) {
    guard let resumeData, let name = ResumeData.fileName(in: resumeData), files.kind(name) == .partial else { return }
    if let other, ResumeData.fileName(in: other) == name { return }
    unlink(files.path(name))
  }
}
