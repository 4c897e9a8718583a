import CLoadingProcess
import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import NIOPosix

/// Reads a part of a file piece by piece, off the event loop. Confined to the load that reads it.
final class FileReader: BodyReader, @unchecked Sendable {
  // @unchecked: each read is awaited before the next begins, so that the load and the thread that reads for it never use `offset`, `inMemory`,
  // `windowSize`, `ahead` and `room` at the same time; the rest is immutable.
  private static let pieceSize = 256 * 1024
  /// Bytes: for smaller files, sending by the kernel (`sendfile`) isn't faster than reading them.
  private static let handOverLimit: Int64 = 1024 * 1024
  /// The bytes that are brought into memory at a time before the kernel sends them: few at first, so that sending begins soon, then more.
  private static let windowSizes: ClosedRange<Int64> = 1024 * 1024...16 * 1024 * 1024

  private let file: SourceFile
  private let path: String
  private var offset: Int64
  private let end: Int64
  /// The file's facts when it was opened.
  let facts: FileFacts
  /// Whether a change of the file from now on is an error, thrown before the last piece is returned.
  private let isWatched: Bool
  /// The offset up to which the file is known to be in memory.
  private var inMemory: Int64 = 0
  private var windowSize = windowSizes.lowerBound
  /// The buffer of the last piece, which is reused once it has no other owner.
  private var room = ByteBuffer()

  /// The bytes that were read to find out whether the file's size is right. Set only if it isn't: then the file is read until nothing more comes.
  private var ahead: ByteBuffer?
  /// Whether `size` is the number of bytes that can be read. It isn't for files below /proc and /sys, whose content the kernel makes when they
  /// are read: their size is 0 or that of a page.
  let hasKnownSize: Bool

  /// The size of the file in bytes when it was opened.
  var size: Int64 { facts.size }
  /// The number of bytes that haven't been returned yet.
  var rest: Int64 { end - offset }
  /// An entity tag that changes when the file does.
  var tag: String { facts.tag }
  /// A text that changes when the file's content does; a copy that kept size and time of modification has the same.
  var stamp: String { facts.stamp }

  /// - Throws: `fileDoesNotExist`, `noPermissionsToReadFile`, `fileIsDirectory` or `cannotOpenFile`.
  static func open(path: String) async throws(LoadError) -> FileReader {
    try await opened(path: path).get()
  }

  /// - Parameter isWatched: Whether a change of the file from now on is an error.
  static func opened(path: String, isWatched: Bool = false) async -> Result<FileReader, LoadError> {
    await runBlocking { FileReader.openBlocking(path, isWatched: isWatched) }
  }

  private init(file: SourceFile, path: String, facts: FileFacts, range: Range<Int64>, isWatched: Bool, ahead: ByteBuffer? = nil) {
    self.ahead = ahead
    hasKnownSize = ahead == nil
    self.file = file
    self.isWatched = isWatched
    self.path = path
    self.facts = facts
    offset = range.lowerBound
    end = range.upperBound
  }

  /// A reader of the same open file from byte `start` on, up to `end` or the file's end; this reader must not be used any more.
  func limited(from start: Int64, upTo end: Int64?) -> FileReader {
    let end = min(end ?? size, size)
    return limited(to: min(start, end)..<end)
  }

  /// A reader of the same open file, limited to `range`; this reader must not be used any more.
  func limited(to range: Range<Int64>) -> FileReader {
    FileReader(file: file, path: path, facts: facts, range: range, isWatched: isWatched)
  }

  func abandon() {}

  func next() async throws(LoadError) -> ByteBuffer? {
    if let first = ahead {
      ahead = nil
      offset += Int64(first.readableBytes)
      if first.readableBytes > 0 { return first }
    }
    let wanted = Int(min(Int64(FileReader.pieceSize), end - offset))
    guard wanted > 0 else { return nil }
    let start = offset
    let read = await runBlocking { [self] in readBlocking(wanted, at: start) }
    let bytes = try read.get()
    guard bytes.readableBytes > 0 else {
      guard hasKnownSize else { return nil }
      throw shortened()
    }
    offset += Int64(bytes.readableBytes)
    return bytes
  }

  private func readBlocking(_ count: Int, at offset: Int64) -> Result<ByteBuffer, LoadError> {
    room.clear(minimumCapacity: count)
    var failure: Int32 = 0
    room.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
      while true {
        let result = pread(file.descriptor, bytes.baseAddress, count, off_t(offset))
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
    if offset + Int64(room.readableBytes) >= end, let changed = changedBlocking() { return .failure(changed) }
    return .success(room)
  }

  // MARK: parts that the kernel sends

  /// Whether the kernel should send the file (`sendfile`) where the connection can use that.
  var isWorthHandingOver: Bool { size >= FileReader.handOverLimit }

  /// The next part for the kernel to send, brought into memory before: the event loop must not wait for the disk.
  func nextPart() async throws(LoadError) -> FilePart? {
    let length = min(Int64(FileReader.pieceSize), end - offset)
    guard length > 0 else { return nil }
    let range = offset..<offset + length
    if range.upperBound > inMemory || range.upperBound == end {
      let window = range.lowerBound..<min(end, range.lowerBound + windowSize)
      windowSize = min(windowSize * 2, FileReader.windowSizes.upperBound)
      if let failure = await runBlocking({ [self] in loadBlocking(window, next: windowSize) }) { throw failure }
      inMemory = window.upperBound
    }
    offset = range.upperBound
    return FilePart(file, range)
  }

  /// - Parameter next: The length in bytes of the window after this one, which the kernel begins to read ahead.
  private func loadBlocking(_ window: Range<Int64>, next: Int64) -> LoadError? {
    if let changed = changedBlocking() { return changed }
    let page = Int64(sysconf(Int32(_SC_PAGESIZE)))
    let start = window.lowerBound / page * page
    let length = Int(window.upperBound - start)
    if uls_file_is_in_memory(file.descriptor, window.lowerBound, window.upperBound - window.lowerBound) != 1 {
      // Mapping with MAP_POPULATE reads what isn't in memory yet, without copying what is.
      let mapping = mmap(nil, length, PROT_READ, MAP_SHARED | Int32(MAP_POPULATE), file.descriptor, off_t(start))
      if let mapping, mapping != MAP_FAILED { munmap(mapping, length) }
    }
    posix_fadvise(file.descriptor, off_t(window.upperBound), off_t(next), POSIX_FADV_WILLNEED)
    return nil
  }

  /// The error if the file must not change but has; nil otherwise.
  private func changedBlocking() -> LoadError? {
    guard isWatched else { return nil }
    guard let now = FileFacts(file.descriptor) else {
      return LoadError(.cannotOpenFile, .send, "\(path) can't be examined any more", posixCode: errno)
    }
    guard now == facts else {
      return LoadError(.requestBodyStreamExhausted, .send, "\(path) was changed while it was sent: send a copy that nobody writes to")
    }
    return nil
  }

  private func shortened() -> LoadError {
    LoadError(
      isWatched ? .requestBodyStreamExhausted : .networkConnectionLost, .body, "the file became shorter while it was read: \(path)")
  }

  private static func openBlocking(_ path: String, isWatched: Bool) -> Result<FileReader, LoadError> {
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return .failure(FileRefusal.unopened(path, errno, .connect)) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else {
      let code = errno
      close(descriptor)
      return .failure(FileRefusal.unopened(path, code, .connect))
    }
    do throws(LoadError) {
      try FileRefusal.checkRegular(path, facts, .connect)
    } catch {
      close(descriptor)
      return .failure(error)
    }
    let known = FileFacts(facts)
    let reader = FileReader(file: SourceFile(taking: descriptor), path: path, facts: known, range: 0..<known.size, isWatched: isWatched)
    // A file with content has blocks on the disk, unless the kernel makes it up, or it is so small or sparse that the file system needs none.
    guard facts.st_blocks == 0, known.size <= Int64(pieceSize) else { return .success(reader) }
    return reader.measuredBlocking()
  }

  /// This reader; if more or fewer bytes can be read than the file's size says, one that reads until the end comes.
  private func measuredBlocking() -> Result<FileReader, LoadError> {
    readBlocking(FileReader.pieceSize, at: 0).map { first in
      guard Int64(first.readableBytes) != size else { return self }
      return FileReader(file: file, path: path, facts: facts, range: 0..<Int64.max, isWatched: isWatched, ahead: first)
    }
  }
}

/// Runs blocking work on a thread for such work, and returns to the caller's executor.
func runBlocking<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T {
  await withUnsafeContinuation { continuation in
    BlockingThreads.files.submit { continuation.resume(returning: work()) }
  }
}
