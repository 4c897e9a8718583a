import Foundation

/// A copy of a range of another process's memory. Pages that the process hasn't touched take no memory here, and read as zeros.
package final class CopiedRegion {
  package let start: UInt64
  package let end: UInt64
  /// The ranges of pages that were copied.
  package let runs: [MemoryFile.PageRun]
  /// Whether pages that weren't copied are known to be zeros. If false, they have the contents of the mapped file.
  package let isComplete: Bool
  private let bytes: UnsafeMutableRawPointer

  /// Copies the pages in `runs` of a range of memory. Nil if there is no address space for the copy.
  package init?(_ file: MemoryFile, from start: UInt64, to end: UInt64, runs: [MemoryFile.PageRun], isComplete: Bool) {
    let size = Int(end - start)
    guard let bytes = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | Int32(MAP_ANONYMOUS) | MAP_NORESERVE, -1, 0),
      bytes != MAP_FAILED
    else { return nil }
    self.start = start
    self.end = end
    self.bytes = bytes
    self.isComplete = isComplete
    self.runs = runs.compactMap { run in
      let room = UnsafeMutableRawBufferPointer(start: bytes + Int(run.start - start), count: Int(run.end - run.start))
      let count = file.read(run.start, into: room)
      return count > 0 ? MemoryFile.PageRun(start: run.start, end: run.start + UInt64(count)) : nil
    }
  }

  deinit { munmap(bytes, Int(end - start)) }

  package func contains(_ address: UInt64) -> Bool { start <= address && address < end }

  /// The bytes from `low` to `high`, limited to the region.
  package func bytes(from low: UInt64, to high: UInt64) -> UnsafeRawBufferPointer {
    let (first, last) = (max(low, start), min(high, end))
    guard first < last else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: bytes + Int(first - start), count: Int(last - first))
  }
}
