import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation
import URLLoadingSystem

// Delegate calls of running tasks.

extension TransferRunner {
  /// Bytes from which on a download is worth a commit of its own, so that it needn't be loaded again if the daemon is killed.
  private static let worthSaving: Int64 = 1 << 20

  /// The task has sent or received more bytes, or has a response.
  func hasMoved(_ run: TransferRun) {
    run.takeCounts()
    run.waitsForNetwork = false
    takeResponse(of: run)
    table.apps?.report(progressOf: run)
    beginWriteback(of: run)
  }

  private func takeResponse(of run: TransferRun) {
    guard run.response == nil, let response = run.task.response, let data = BackgroundCoding.data(response) else { return }
    run.response = data
    notes.keep(response: data, of: run.identifier)
  }

  func hasResumed(_ run: TransferRun, at offset: Int64, of expected: Int64) {
    run.takeCounts()
    takeResponse(of: run)
    note("goes on at byte \(offset)", transfer: run.identifier)
    table.apps?.send(.resumed(task: run.transfer.order.task, offset: offset, expected: expected), to: run.session)
  }

  func waitsForNetwork(_ run: TransferRun) {
    run.waitsForNetwork = true
    note("waits for a network", transfer: run.identifier)
    toolsChanged()
  }

  /// Ends the transfer with an error, because the server redirects it to another scheme than http and https.
  func refuseRedirect(of run: TransferRun, to url: URL?) {
    let fault = URLErrorValue.make(
      .unsupportedURL,
      "The server redirects to another scheme (\(url?.scheme ?? "none")); background sessions load http and https URLs only.")
    run.fault = run.fault ?? fault
    stop(run, .failed(fault))
  }

  /// Appends bytes of an upload's response body to their file.
  func append(_ data: Data, to run: TransferRun) {
    run.takeCounts()
    guard run.fault == nil, !run.isEnding else { return }
    do throws(ResponseBodyFile.Failure) {
      let body: ResponseBodyFile
      if let begun = run.body {
        body = begun
      } else {
        body = try ResponseBodyFile(files.body(run.identifier), limit: options.largestUploadResponse)
        run.body = body
      }
      try body.append(data)
    } catch {
      run.fault = error.value
      stop(run, .failed(error.value))
    }
  }

  /// The download is complete: its file is moved to a name that has the transfer's identifier.
  func take(_ location: URL, of run: TransferRun) {
    run.takeCounts()
    takeResponse(of: run)
    let arrived = files.arrived(run.identifier)
    // The response is stored before the file gets that name, because a later daemon takes the file only with it. For a small download this isn't
    // worth a commit: it is loaded again if the daemon is killed.
    if run.progress.received >= TransferRunner.worthSaving { notes.save() }
    if rename(location.path(percentEncoded: false), arrived) == 0 {
      run.arrived = arrived
    } else {
      run.fault = TransferFiles.diskFault(errno)
    }
  }

  // MARK: notes for a later daemon

  func keep(resumeData: Data, of run: TransferRun) {
    guard !run.isEnding else { return }
    run.transfer.resumeData = resumeData
    if run.writeback == nil, let name = ResumeData.fileName(in: resumeData), files.kind(name) == .partial {
      run.writeback = PartWriteback(files.path(name))
    }
    notes.keep(resumeData: resumeData, of: run.identifier)
  }

  /// Has the kernel begin to write the bytes that have arrived to the disk.
  func beginWriteback(of run: TransferRun) {
    guard !run.isWritingBack, let writeback = run.writeback,
      let range = PartWriteback.next(after: run.writtenBack, of: run.task.countOfBytesReceived)
    else { return }
    run.writtenBack = range.upperBound
    run.isWritingBack = true
    beside(.own) {
      writeback.begin(range)
    } then: { runner, _ in
      run.isWritingBack = false
      runner.beginWriteback(of: run)
    }
  }
}
