import CLoadingProcess
import Foundation
import HTTPTransport
import LoadingModel
import NIOCore

// Writes the queued pieces, on a thread for blocking work.

extension DownloadFile {
  func writeQueued() {
    while true {
      let batch = state.withLock { state -> [Piece] in
        var batch: [Piece] = []
        swap(&batch, &state.queued)
        return batch
      }
      if batch.isEmpty, finishWriting() { return }
      var failure: LoadError?
      for piece in batch where failure == nil { failure = write(piece) }
      let queued = batch.reduce(0) { $0 + $1.count }
      let room = state.withLock { state -> AppWait<Void>? in
        state.queuedBytes -= queued
        for case .piped in batch { state.isPipeInUse = false }
        state.written += failure == nil ? Int64(queued) : 0
        if let failure {
          state.failure = failure
          state.queued = []
          state.queuedBytes = 0
        }
        guard state.queuedBytes <= DownloadFile.window / 2 else { return nil }
        defer { state.room = nil }
        return state.room
      }
      room?.answer(())
    }
  }

  /// Ends the writing if the queue is empty. False if another piece has been queued meanwhile.
  private func finishWriting() -> Bool {
    let (isDone, idle, ending, written) = state.withLock { state -> (Bool, AppWait<Void>?, Ending?, Int64) in
      guard state.queued.isEmpty else { return (false, nil, nil, 0) }
      state.isWriting = false
      defer { (state.idle, state.ending) = (nil, nil) }
      return (true, state.idle, state.ending, state.written)
    }
    idle?.answer(())
    if let ending {
      settle(ending)
      ending.then(written)
    }
    return isDone
  }

  /// Unlocks or removes the file. This is done before the end is reported: a load that resumes at once must find the file unlocked, and a removed
  /// file must be gone.
  private func settle(_ ending: Ending) {
    state.withLock { $0.fate = .stays }
    if ending.isKept { flock(descriptor, LOCK_UN) } else { unlink(url.path(percentEncoded: false)) }
  }

  private func write(_ piece: Piece) -> LoadError? {
    switch piece {
    case .bytes(let bytes): write(bytes)
    case .piped(let count, let pipe): drain(pipe.output, count)
    }
  }

  private func drain(_ pipe: CInt, _ count: Int) -> LoadError? {
    var done = 0
    while done < count {
      let moved = uls_pipe_drain(pipe, descriptor, count - done)
      if moved > 0 {
        done += moved
      } else if moved == 0 || errno != EINTR {
        return DownloadFile.writing(url, moved == 0 ? EIO : errno)
      }
    }
    return nil
  }

  private func write(_ bytes: ByteBuffer) -> LoadError? {
    bytes.withUnsafeReadableBytes { bytes in
      var done = 0
      while done < bytes.count {
        let result = Foundation.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
        if result >= 0 {
          done += result
        } else if errno != EINTR {
          return DownloadFile.writing(url, errno)
        }
      }
      return nil
    }
  }

  private static func writing(_ url: URL, _ code: Int32) -> LoadError {
    let path = url.path(percentEncoded: false)
    switch code {
    case ENOSPC, EDQUOT:
      return LoadError(.cannotWriteToFile, .body, "the disk is full: \(path) couldn't be written on; make room there", posixCode: code)
    default: return LoadError(.cannotWriteToFile, .body, "writing \(path) failed (\(String(cString: strerror(code))))", posixCode: code)
    }
  }
}
