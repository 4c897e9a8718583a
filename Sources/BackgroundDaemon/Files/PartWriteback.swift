import Foundation

/// Has the system write a download's bytes to the disk while it is under way: all at the end, a large file would take as long again.
final class PartWriteback: Sendable {
  /// Bytes that are written at a time.
  private static let step: Int64 = 16 << 20

  private let descriptor: Int32

  /// nil if the file can't be opened.
  init?(_ path: String) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// The next bytes to write, if there are enough of them.
  static func next(after begun: Int64, of length: Int64) -> Range<Int64>? {
    let end = length / step * step
    return end > begun ? begun..<end : nil
  }

  /// Begins to write. Blocks where the disk is busy. Dirty pages stay in memory: they aren't dropped, only written.
  func begin(_ range: Range<Int64>) {
    posix_fadvise(descriptor, off_t(range.lowerBound), off_t(range.upperBound - range.lowerBound), Int32(POSIX_FADV_DONTNEED))
  }
}
