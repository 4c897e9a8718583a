import Foundation
import LoadingModel

/// A stored body in a file, with checksums. It stays readable while it is open, even if the file is deleted.
final class FileBody: StoredBody {
  let length: Int64
  var immediate: Data? { nil }
  private let path: String
  private let checksums: BodyChecksums
  private let threads: CacheThreads
  /// The lock protects against `close`; reads happen outside of it, each holding a reference that keeps the descriptor open.
  private let descriptor: Mutex<Descriptor?>

  /// Closes the file descriptor when the last read that uses it has ended.
  private final class Descriptor: Sendable {
    let number: Int32
    init(_ number: Int32) { self.number = number }
    deinit { Foundation.close(number) }
  }

  init(path: String, descriptor: Int32, length: Int64, checksums: BodyChecksums, threads: CacheThreads) {
    self.path = path
    self.checksums = checksums
    self.threads = threads
    self.length = length
    self.descriptor = Mutex(Descriptor(descriptor))
  }

  nonisolated(nonsending) func read(from offset: Int64, upTo count: Int) async throws -> Data {
    let piece = await threads.reading { Result { try self.readNow(from: offset, upTo: count) } }
    guard let piece else { throw StoreFailure(path: path, reason: "the disk doesn't answer") }
    return try piece.get()
  }

  /// Reads the blocks around the wanted bytes and returns those bytes, if all blocks match their checksums. Blocks.
  func readNow(from offset: Int64, upTo count: Int) throws -> Data {
    guard let descriptor = descriptor.withLock({ $0 }) else { throw StoreFailure(path: path, reason: "the body has been closed") }
    let wanted = Int(min(Int64(max(0, count)), max(0, length - offset)))
    guard wanted > 0, offset >= 0 else { return Data() }
    let size = Int64(BodyChecksums.blockSize)
    let start = offset / size * size
    let end = min(length, (offset + Int64(wanted) + size - 1) / size * size)
    let blocks = try FileBody.bytes(of: descriptor.number, from: start, count: Int(end - start), path)
    guard checksums.match(blocks, from: Int(start / size)) else { throw StoreFailure(path: path, reason: "the body has been damaged") }
    return blocks.count == wanted ? blocks : Data(blocks.dropFirst(Int(offset - start)).prefix(wanted))
  }

  /// Whether the whole body matches its checksums. Blocks.
  var isWhole: Bool {
    let size = Int64(16 * BodyChecksums.blockSize)
    return stride(from: 0, to: length, by: Int(size)).allSatisfy { (try? readNow(from: $0, upTo: Int(size))) != nil }
  }

  /// Reads exactly `wanted` bytes of an open file, or throws. Blocks.
  static func bytes(of descriptor: Int32, from offset: Int64, count wanted: Int, _ path: String) throws -> Data {
    var data = Data(count: wanted)
    let result = data.withUnsafeMutableBytes { bytes -> Int in
      var filled = 0
      while filled < wanted {
        let got = pread(descriptor, bytes.baseAddress?.advanced(by: filled), wanted - filled, off_t(offset) + off_t(filled))
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { return got < 0 ? -1 : filled }
        filled += got
      }
      return filled
    }
    guard result == wanted else {
      throw StoreFailure(path: path, reason: result < 0 ? StoreFile.errorText(errno) : "the file has been shortened")
    }
    return data
  }

  func close() {
    // The last reference closes the file, which may take long on a network file system: that happens on the cache's thread, not on an event loop.
    let last = descriptor.withLock { descriptor in
      defer { descriptor = nil }
      return descriptor
    }
    if let last { threads.later { withExtendedLifetime(last) {} } }
  }
}

/// A body in memory.
final class MemoryBody: StoredBody {
  private let data: Data
  var length: Int64 { Int64(data.count) }
  var immediate: Data? { data }

  init(_ data: Data) { self.data = data }

  nonisolated(nonsending) func read(from offset: Int64, upTo count: Int) async throws -> Data {
    let start = Int(min(max(0, offset), length))
    return data.dropFirst(start).prefix(max(0, count))
  }

  func close() {}
}
