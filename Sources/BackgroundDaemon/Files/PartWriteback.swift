import Foundation

/// Has the kernel write a download's bytes to the disk while the download runs. With one `fsync` at its end, a large file would take long then.
final class PartWriteback: Sendable {
  /// Bytes that one call of `begin` covers at least, and a multiple of which it ends at.
  private static let step: Int64 = 16 << 20

  private let descriptor: Int32

  /// - Parameter path: The download's file. The initializer returns nil if it can't be opened.
  init?(_ path: String) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// The whole steps between `begun` and `length` bytes, which are to be written now; nil while they are less than one step.
  static func next(after begun: Int64, of length: Int64) -> Range<Int64>? {
    let end = length / step * step
    return end > begun ? begun..<end : nil
  }

  /// Has the kernel begin to write the range. Blocks where the disk is busy. POSIX_FADV_DONTNEED starts the writing; dirty pages aren't dropped.
  func begin(_ range: Range<Int64>) {
    posix_fadvise(descriptor, off_t(range.lowerBound), off_t(range.upperBound - range.lowerBound), Int32(POSIX_FADV_DONTNEED))
  }
}
