import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import NIOPosix

/// Reads a part of a file piece by piece, off the event loop. Confined to the load that reads it.
final class FileReader: BodyReader, @unchecked Sendable {
  // @unchecked: the descriptor is used by one read at a time, because each `next` is awaited.
  private static let pieceSize = 256 * 1024

  private let descriptor: Int32
  private let path: String
  private var offset: Int64
  private let end: Int64
  /// Size and name facts taken when the file was opened.
  let size: Int64
  /// Changes when the file does.
  let tag: String

  /// - Throws: `fileDoesNotExist`, `noPermissionsToReadFile`, `fileIsDirectory`, `cannotOpenFile`.
  static func open(path: String) async throws(LoadError) -> FileReader {
    try await opened(path: path).get()
  }

  static func opened(path: String) async -> Result<FileReader, LoadError> {
    await runBlocking { FileReader.openBlocking(path) }
  }

  private init(descriptor: Int32, path: String, size: Int64, tag: String, range: Range<Int64>) {
    self.descriptor = descriptor
    self.path = path
    self.size = size
    self.tag = tag
    offset = range.lowerBound
    end = range.upperBound
  }

  /// The same open file, limited to `range`; this reader must not be used any more.
  func limited(to range: Range<Int64>) -> FileReader {
    FileReader(descriptor: dup(descriptor), path: path, size: size, tag: tag, range: range)
  }

  deinit { close(descriptor) }

  func abandon() {}

  func next() async throws(LoadError) -> ByteBuffer? {
    let wanted = Int(min(Int64(FileReader.pieceSize), end - offset))
    guard wanted > 0 else { return nil }
    let start = offset
    let read = await runBlocking { [self] in readBlocking(wanted, at: start) }
    let bytes = try read.get()
    guard bytes.readableBytes > 0 else {
      throw LoadError(.networkConnectionLost, .body, "the file became shorter while it was read: \(path)")
    }
    offset += Int64(bytes.readableBytes)
    return bytes
  }

  private func readBlocking(_ count: Int, at offset: Int64) -> Result<ByteBuffer, LoadError> {
    var buffer = ByteBufferAllocator().buffer(capacity: count)
    var failure: Int32 = 0
    buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
      while true {
        let result = pread(descriptor, bytes.baseAddress, count, off_t(offset))
        if result >= 0 { return result }
        if errno != EINTR {
          failure = errno
          return 0
        }
      }
    }
    guard failure == 0 else {
      return .failure(
        LoadError(.cannotOpenFile, .body, "reading \(path) failed (\(String(cString: strerror(failure))))", posixCode: failure))
    }
    return .success(buffer)
  }

  private static func openBlocking(_ path: String) -> Result<FileReader, LoadError> {
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return .failure(openFailure(path, errno)) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else {
      let code = errno
      close(descriptor)
      return .failure(openFailure(path, code))
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return facts.st_mode & S_IFMT == S_IFDIR
        ? .failure(LoadError(.fileIsDirectory, .connect, "\(path) is a directory; name a file in it"))
        : .failure(LoadError(.cannotOpenFile, .connect, "\(path) is not a regular file"))
    }
    let size = Int64(facts.st_size)
    let tag = "\"\(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)-\(size)-\(facts.st_ino)\""
    return .success(FileReader(descriptor: descriptor, path: path, size: size, tag: tag, range: 0..<size))
  }

  private static func openFailure(_ path: String, _ code: Int32) -> LoadError {
    switch code {
    case ENOENT, ENOTDIR: LoadError(.fileDoesNotExist, .connect, "there is no file at \(path)", posixCode: code)
    case EACCES, EPERM: LoadError(.noPermissionsToReadFile, .connect, "this process may not read \(path)", posixCode: code)
    default: LoadError(.cannotOpenFile, .connect, "\(path) can't be opened (\(String(cString: strerror(code))))", posixCode: code)
    }
  }
}

/// Runs blocking work on a thread meant for it, and comes back to the caller's executor.
func runBlocking<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T {
  await withUnsafeContinuation { continuation in
    BlockingThreads.files.submit { _ in continuation.resume(returning: work()) }
  }
}
