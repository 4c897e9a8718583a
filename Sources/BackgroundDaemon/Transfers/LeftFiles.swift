import BackgroundTransfers
import Foundation
import URLLoadingSystem

/// Handles the files that an earlier daemon has left, and parts of downloads that no transfer continues. A part of the daemon, confined to its queue.
final class LeftFiles: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  /// Seconds after which an incomplete download that no transfer names is removed: until then an app may have resume data that names it.
  private static let partialLife = 7.0 * 86_400

  let context: DaemonContext
  private let ends: TransferEnds

  init(_ ends: TransferEnds) { (context, self.ends) = (ends.context, ends) }

  /// Removes files that no transfer needs, and ends transfers whose files were complete when the earlier daemon was killed.
  func tidy() {
    let areLost = files.machineHasStopped()
    if areLost {
      do { try queue.forgetParts() } catch { report("the queue can't be written: \(error)") }
    }
    for name in files.names {
      switch files.kind(name) {
      case .partial where areLost: unlink(files.path(name))
      case .partial: break
      case .body, .arrived(_, isOfThisBoot: false), .foreign: unlink(files.path(name))
      case .arrived(let transfer, isOfThisBoot: true): adopt(name, of: transfer)
      case .finished(let transfer): adopt(name, of: transfer)
      }
    }
    removeOldParts()
  }

  /// Removes incomplete downloads that haven't been written to for `partialLife` seconds, and that no transfer or event names.
  /// - Parameter runs: The transfers that have a task: their files stay.
  func removeOldParts(besides runs: [TransferRun] = []) {
    let old = files.names.filter { files.kind($0) == .partial && files.isOlder($0, than: LeftFiles.partialLife, now: wallTime) }
    let written = runs.compactMap { $0.transfer.resumeData.flatMap { ResumeData.fileName(in: $0) } }
    removeUnreferenced(old.filter { !written.contains($0) })
  }

  /// Takes a complete file: if its transfer hasn't ended, the earlier daemon was killed before it stored the end, which is done now.
  private func adopt(_ name: String, of identifier: Int64) {
    let path = files.path(name)
    do {
      guard let transfer = try queue.transfer(identifier) else {
        // The transfer has ended: the file belongs to its event, or to none and is removed.
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
      ends.settle(path, of: transfer, outcome)
    } catch {
      report("the queue can't be read: \(error)")
    }
  }

  /// Removes those of the named files that no resume data in the database names. Goes through all transfers, but only if there are such files.
  private func removeUnreferenced(_ names: [String]) {
    guard !names.isEmpty, let sessions = try? queue.sessions.all() else { return }
    var kept: Set<String> = []
    for session in sessions {
      guard let used = try? namesInUse(session.identifier) else { return }
      kept.formUnion(used)
    }
    for name in names where !kept.contains(name) { unlink(files.path(name)) }
  }

  /// Names of the files that resume data of the session's transfers and events refers to.
  private func namesInUse(_ session: Int64) throws -> Set<String> {
    var used: Set<String> = []
    var next: Int64? = 0
    while let previous = next {
      let page = try queue.page(of: session, after: previous, bytes: DaemonContext.pageBytes)
      let data = page.transfers.flatMap { [$0.resumeData, $0.order.resumeData] }
      used.formUnion(data.compactMap { $0 }.compactMap { ResumeData.fileName(in: $0) })
      next = page.next
    }
    var page = TransferQueue.EventPage()
    repeat {
      page = try queue.eventPage(of: session, after: page.last, bytes: DaemonContext.pageBytes)
      used.formUnion(page.events.compactMap { $0.outcome.error?.resumeData }.compactMap { ResumeData.fileName(in: $0) })
    } while !page.isLast
    return used
  }
}
