import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

// Creates new files, and opens those of earlier downloads.

extension DownloadFile {
  /// Creates a file in `folder` that only its owner can read; `earlier` is removed afterwards.
  /// - Throws: `cannotCreateFile`, or `cannotWriteToFile` if the disk is full.
  package static func create(in folder: URL, replacing earlier: DownloadFile? = nil) async throws(LoadError) -> DownloadFile {
    try await runBlocking { () -> Result<DownloadFile, LoadError> in
      for _ in 0..<16 {
        let name = "\(namePrefix)\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
        let url = folder.appending(path: name, directoryHint: .notDirectory)
        let descriptor = open(url.path(percentEncoded: false), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 {
          // The file is locked for this load, so that no other load resumes it meanwhile.
          flock(descriptor, LOCK_EX | LOCK_NB)
          earlier?.remove()
          return .success(DownloadFile(url: url, descriptor: descriptor, length: 0, fate: .goes))
        }
        guard errno == EEXIST else { break }
      }
      return .failure(creating(folder, errno))
    }.get()
  }

  /// Opens the file of an earlier, broken download at its end. Nil if it is missing, has fewer than `received` or more than `total` bytes,
  /// belongs to another user, or is being written by another load.
  package static func reopen(_ url: URL, received: Int64, total: Int64?) async -> DownloadFile? {
    await runBlocking {
      let descriptor = open(url.path(percentEncoded: false), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else { return nil }
      var facts = stat()
      guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid(),
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
      else {
        close(descriptor)
        return nil
      }
      let offset = ResumeRules.offset(present: Int64(facts.st_size), total: total)
      guard Int64(facts.st_size) >= received, Int64(facts.st_size) <= total ?? .max, ftruncate(descriptor, off_t(offset)) == 0,
        lseek(descriptor, off_t(offset), SEEK_SET) >= 0
      else {
        close(descriptor)
        return nil
      }
      return DownloadFile(url: url, descriptor: descriptor, length: offset, fate: .stays)
    }
  }

  private static func creating(_ folder: URL, _ code: Int32) -> LoadError {
    let folder = folder.path(percentEncoded: false)
    switch code {
    case ENOSPC, EDQUOT:
      return LoadError(.cannotWriteToFile, .body, "the disk that holds \(folder) is full; make room there", posixCode: code)
    default:
      return LoadError(
        .cannotCreateFile, .body,
        "no file can be made in \(folder) (\(String(cString: strerror(code)))); check that the folder can be written",
        posixCode: code)
    }
  }
}
