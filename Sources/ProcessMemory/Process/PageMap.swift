import Foundation

/// Reads the states of a process's pages through /proc/PID/pagemap; closed when this object is released.
final class PageMap {
  static let pageSize = UInt64(sysconf(Int32(_SC_PAGESIZE)))

  private let descriptor: Int32

  /// Opens the states of a process's pages. If that isn't permitted, `visit` visits none.
  init(process: Int32) { descriptor = open("/proc/\(process)/pagemap", O_RDONLY | O_CLOEXEC) }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Calls `body` with the address of each page of a range, in order, and with its state: an entry of pagemap, of which `PageState` has the bits.
  ///
  /// - Returns: Whether all could be read.
  func visit(from start: UInt64, to end: UInt64, _ body: (_ page: UInt64, _ state: PageState) -> Void) -> Bool {
    let page = PageMap.pageSize
    var entries = [UInt64](repeating: 0, count: 8192)
    var number = start / page
    let last = end / page + (end % page == 0 ? 0 : 1)
    while number < last {
      let wanted = Int(min(last - number, UInt64(entries.count)))
      guard let place = off_t(exactly: number * 8) else { return false }
      let size = entries.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, wanted * 8, place) }
      guard size >= 8 else { return false }
      for index in 0..<(size / 8) { body((number + UInt64(index)) * page, PageState(rawValue: entries[index])) }
      number += UInt64(size / 8)
    }
    return true
  }
}

/// The state of a page as in an entry of /proc/PID/pagemap.
struct PageState: OptionSet {
  let rawValue: UInt64

  /// In memory.
  static let present = PageState(rawValue: 1 << 63)
  static let swapped = PageState(rawValue: 1 << 62)
  /// A page of a file or of shared memory.
  static let isShared = PageState(rawValue: 1 << 61)
  /// A guard in the middle of a mapping (MADV_GUARD_INSTALL), to which there is no access. Known from Linux 6.15 on.
  static let isGuard = PageState(rawValue: 1 << 58)
}
