import Foundation
import LoadingModel

/// The bytes of a file in pieces of at most 64 KiB.
///
/// Owned by one iterator of `URL.AsyncBytes`. Opens the file for the first piece, and closes it after the last or when it is deallocated. Reads
/// block, so they run on a dispatch queue of its own and never on Swift's concurrency threads.
final class FileChunks: ByteChunkSource {
  private enum State {
    case unopened
    case open(descriptor: Int32)
    case ended
  }

  static let chunkSize = 65_536

  private let url: URL
  private let queue = DispatchQueue(label: "URLLoadingSystem.FileChunks")
  private let state = Mutex(State.unopened)

  init(_ url: URL) { self.url = url }

  deinit {
    if case .open(let descriptor) = state.withLock({ $0 }) { _ = close(descriptor) }
  }

  func nextChunk(isolation: isolated (any Actor)?) async throws -> Data? {
    try Task.checkCancellation()
    return try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try self.readNext() }) }
    }
  }

  // The lock is held while reading, which blocks no other thread: only `queue` and `deinit` take it.
  private func readNext() throws -> Data? {
    try state.withLock { state in
      if case .unopened = state { state = .open(descriptor: try openFile()) }
      guard case .open(let descriptor) = state else { return nil }
      let chunk = Result { try readChunk(descriptor) }
      if case .success(_?) = chunk { return try chunk.get() }
      _ = close(descriptor)
      state = .ended
      return try chunk.get()
    }
  }

  private func openFile() throws -> Int32 {
    while true {
      let descriptor = url.withUnsafeFileSystemRepresentation { path in
        path.map { open($0, O_RDONLY | O_CLOEXEC) }
      }
      guard let descriptor else { throw CocoaError(.fileReadInvalidFileName, userInfo: [NSURLErrorKey: url]) }
      if descriptor >= 0 { return descriptor }
      guard errno == EINTR else { throw failure(errno) }
    }
  }

  private func readChunk(_ descriptor: Int32) throws -> Data? {
    while true {
      var code: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: FileChunks.chunkSize) { buffer, count in
        let result = read(descriptor, buffer.baseAddress, buffer.count)
        if result < 0 { code = errno } else { count = result }
      }
      switch code {
      case 0: return bytes.isEmpty ? nil : Data(bytes)
      case EINTR: continue
      default: throw failure(code)
      }
    }
  }

  private func failure(_ code: Int32) -> CocoaError {
    let reason: CocoaError.Code =
      switch code {
      case ENOENT: .fileReadNoSuchFile
      case EACCES, EPERM: .fileReadNoPermission
      default: .fileReadUnknown
      }
    let posix = NSError(domain: NSPOSIXErrorDomain, code: Int(code))
    return CocoaError(reason, userInfo: [NSURLErrorKey: url, NSFilePathErrorKey: url.path, NSUnderlyingErrorKey: posix])
  }
}
