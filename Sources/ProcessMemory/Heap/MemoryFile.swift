import Foundation

/// Reads the memory of another process through /proc/PID/mem, and the state of its pages through /proc/PID/pagemap.
package final class MemoryFile {
  /// A range of consecutive pages.
  package struct PageRun: Sendable, Equatable {
    package var start: UInt64
    package var end: UInt64
  }

  /// Which pages of a range `runs` returns.
  package enum PageSelection: Sendable {
    /// Pages that are in memory or swapped out: those that have been touched.
    case present
    /// Pages that aren't the mapped file's own: those that the process has written.
    case modified
  }

  package static let pageSize = UInt64(sysconf(Int32(_SC_PAGESIZE)))

  private let memory: Int32
  private let pages: Int32

  /// Opens the memory of a process.
  /// - Throws: A failure with the system's error number if the memory can't be opened.
  package init(_ process: Int32) throws(StoppedProcess.Failure) {
    memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { throw StoppedProcess.Failure(code: errno) }
    pages = open("/proc/\(process)/pagemap", O_RDONLY | O_CLOEXEC)
  }

  deinit {
    close(memory)
    if pages >= 0 { close(pages) }
  }

  /// Reads memory into a buffer.
  /// - Returns: The number of bytes that could be read, from `address` on.
  package func read(_ address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var filled = 0
    while filled < buffer.count, let base = buffer.baseAddress {
      let count = pread(memory, base + filled, buffer.count - filled, off_t(truncatingIfNeeded: address) + off_t(filled))
      if count > 0 { filled += count } else if count == 0 || errno != EINTR { break }
    }
    return filled
  }

  /// Reads `count` words of eight bytes; nil if one of them can't be read.
  package func words(_ address: UInt64, _ count: Int) -> [UInt64]? {
    var words = [UInt64](repeating: 0, count: count)
    let size = words.withUnsafeMutableBytes { read(address, into: $0) }
    return size == count * 8 ? words : nil
  }

  /// The ranges of the selected pages in a range. The whole range if /proc/PID/pagemap can't be read.
  package func runs(_ selection: PageSelection, from start: UInt64, to end: UInt64) -> [PageRun] {
    let page = MemoryFile.pageSize
    var runs: [PageRun] = []
    var entries = [UInt64](repeating: 0, count: 8192)
    var number = start / page
    let last = (end + page - 1) / page
    while number < last {
      let wanted = min(Int(last - number), entries.count)
      let size = entries.withUnsafeMutableBytes { pread(pages, $0.baseAddress, wanted * 8, off_t(number) * 8) }
      guard size >= 8 else { return [PageRun(start: start, end: end)] }
      for index in 0..<(size / 8) where MemoryFile.isSelected(entries[index], selection) {
        let address = (number + UInt64(index)) * page
        if runs.last?.end == address { runs[runs.count - 1].end += page } else { runs.append(PageRun(start: address, end: address + page)) }
      }
      number += UInt64(size / 8)
    }
    return runs.map { PageRun(start: max($0.start, start), end: min($0.end, end)) }
  }

  /// Whether a page is selected, by its pagemap entry. Bit 63: in memory; 62: swapped out; 61: a page of a file or of shared memory.
  private static func isSelected(_ entry: UInt64, _ selection: PageSelection) -> Bool {
    guard entry >> 62 != 0 else { return false }
    return switch selection {
    case .present: true
    case .modified: entry >> 61 & 1 == 0
    }
  }
}
