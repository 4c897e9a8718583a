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

  private let memory: Int32
  let pages: PageMap

  /// Opens the memory of a process.
  /// - Throws: A failure with the system's error number if the memory can't be opened.
  package init(_ process: Int32) throws(StoppedProcess.Failure) {
    memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { throw StoppedProcess.Failure(code: errno) }
    pages = PageMap(process: process)
  }

  deinit { close(memory) }

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
    guard let known = pages.runs(from: start, to: end) else { return [PageRun(start: start, end: end)] }
    var runs: [PageRun] = []
    for run in known where MemoryFile.isSelected(run.state, selection) {
      if runs.last?.end == run.start { runs[runs.count - 1].end = run.end } else { runs.append(PageRun(start: run.start, end: run.end)) }
    }
    return runs.map { PageRun(start: max($0.start, start), end: min($0.end, end)) }
  }

  /// Whether a page is selected, by its state.
  private static func isSelected(_ state: PageState, _ selection: PageSelection) -> Bool {
    guard !state.isDisjoint(with: [.present, .swapped]) else { return false }
    return switch selection {
    case .present: true
    case .modified: !state.contains(.isShared)
    }
  }
}
