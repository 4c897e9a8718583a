import Foundation
import struct Synchronization.Atomic

/// The bytes of a file handle in pieces of at most 64 KiB, as they arrive: from a pipe or terminal as well as from a file.
///
/// Owned by one iterator of `FileHandle.AsyncBytes`; keeps the handle open. Reads block, so they run on a dispatch queue of its own. Cancelling the
/// task interrupts a waiting read; bytes that haven't been read stay in the pipe.
final class DescriptorChunks: ByteChunkSource {
  /// The cancellation flag of one call of `nextChunk`.
  private final class Call: Sendable {
    let isCancelled = Atomic(false)
  }

  private let handle: FileHandle
  /// A socket pair: a byte written to `signal` wakes the `poll` that waits on `wait`. Both are -1 if it couldn't be made; a cancelled task's read
  /// then goes on.
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
      // The writing end of a pipe never becomes readable: polling it would block forever.
      if fcntl(descriptor, F_GETFL) & O_ACCMODE == O_WRONLY { throw failure(EBADF) }
      var watched = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: wake.wait, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&watched, 2, -1) > 0 else {
        if errno == EINTR { continue }
        throw failure(errno)
      }
      if watched[1].revents != 0 {
        // The wake-up byte is this call's, or one of an earlier call that ended before it was read: the loop checks which.
        var bytes = [UInt8](repeating: 0, count: 64)
        _ = read(wake.wait, &bytes, bytes.count)
        continue
      }
      if let piece = try readOnce(descriptor) { return piece.isEmpty ? nil : piece }
    }
  }

  /// Reads once: empty data at the end of the file, nil if nothing was there to read.
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
