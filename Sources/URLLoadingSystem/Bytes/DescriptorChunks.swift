import Foundation
import struct Synchronization.Atomic

/// The bytes of a file handle in pieces of at most 64 KiB, as they arrive: a pipe's or terminal's as well as a file's.
///
/// Owned by one iterator of `FileHandle.AsyncBytes`; keeps the handle open. Reads block, so they run on a queue of its own. A cancelled task
/// wakes its read; what hasn't been read then stays in the pipe.
final class DescriptorChunks: ByteChunkSource {
  /// One call of `nextChunk`.
  private final class Call: Sendable {
    let isCancelled = Atomic(false)
  }

  private let handle: FileHandle
  /// Two sockets: a byte into one wakes who waits for the other. -1 if there are none: then a cancelled task's read goes on.
  private let wake: (signal: Int32, wait: Int32)
  private let queue = DispatchQueue(label: "URLLoadingSystem.DescriptorChunks")

  init(_ handle: FileHandle) {
    self.handle = handle
    var sockets: [Int32] = [-1, -1]
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    wake = socketpair(AF_UNIX, Int32(kind), 0, &sockets) == 0 ? (sockets[0], sockets[1]) : (-1, -1)
  }

  deinit {
    guard wake.signal >= 0 else { return }
    _ = close(wake.signal)
    _ = close(wake.wait)
  }

  func nextChunk(isolation: isolated (any Actor)?) async throws -> Data? {
    try Task.checkCancellation()
    let call = Call()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { continuation.resume(with: Result { try self.waitAndRead(call) }) }
      }
    } onCancel: {
      call.isCancelled.store(true, ordering: .releasing)
      var byte = UInt8(0)
      _ = write(wake.signal, &byte, 1)
    }
  }

  private func waitAndRead(_ call: Call) throws -> Data? {
    while true {
      if call.isCancelled.load(ordering: .acquiring) { throw CancellationError() }
      let descriptor = handle.fileDescriptor
      // The writing end of a pipe never has anything to read: waiting for it would be forever.
      if fcntl(descriptor, F_GETFL) & O_ACCMODE == O_WRONLY { throw failure(EBADF) }
      var watched = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: wake.wait, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&watched, 2, -1) > 0 else {
        if errno == EINTR { continue }
        throw failure(errno)
      }
      if watched[1].revents != 0 {
        // Of this call, or of an earlier one that ended meanwhile.
        var bytes = [UInt8](repeating: 0, count: 64)
        _ = read(wake.wait, &bytes, bytes.count)
        continue
      }
      if let piece = try readOnce(descriptor) { return piece.isEmpty ? nil : piece }
    }
  }

  /// Empty at the end; nil if there is nothing after all.
  private func readOnce(_ descriptor: Int32) throws -> Data? {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: FileChunks.chunkSize) { buffer, count in
      let result = read(descriptor, buffer.baseAddress, buffer.count)
      if result < 0 { code = errno } else { count = result }
    }
    switch code {
    case 0: return Data(bytes)
    case EINTR, EAGAIN: return nil
    default: throw failure(code)
    }
  }

  private func failure(_ code: Int32) -> CocoaError {
    let posix = NSError(domain: NSPOSIXErrorDomain, code: Int(code))
    return CocoaError(.fileReadUnknown, userInfo: [NSUnderlyingErrorKey: posix])
  }
}
