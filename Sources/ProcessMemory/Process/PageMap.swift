import Foundation

/// Reads the states of a process's pages through /proc/PID/pagemap; closed when this object is released.
final class PageMap {
  static let pageSize = UInt64(sysconf(Int32(_SC_PAGESIZE)))

  /// How the kernel is asked.
  enum Interface: CaseIterable {
    /// PAGEMAP_SCAN, which passes over what isn't mapped however much that is, and knows guards: Linux 6.16.
    case scanWithGuards
    /// PAGEMAP_SCAN: Linux 6.7.
    case scan
    /// An entry of eight bytes for each page: takes seconds for a range of a terabyte, as programs reserve it.
    case entries
  }

  /// Pages one behind the other that are in the same state.
  struct Run: Equatable {
    let start: UInt64
    var end: UInt64
    let state: PageState

    var pages: UInt64 { (end - start) / PageMap.pageSize }
  }

  /// The best one that this kernel has.
  let interface: Interface
  var knowsGuards: Bool { interface == .scanWithGuards }
  private let descriptor: Int32

  /// Opens the states of a process's pages. If that isn't permitted, `runs` is nil.
  ///
  /// - Parameter interfaces: Those to try, in this order. If none works it is `entries`.
  init(process: Int32, _ interfaces: [Interface] = Interface.allCases) {
    let descriptor = open("/proc/\(process)/pagemap", O_RDONLY | O_CLOEXEC)
    self.descriptor = descriptor
    interface = interfaces.first { PageMap.works($0, descriptor) } ?? .entries
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The pages of a range in order, all of them; nil if they can't be read.
  func runs(from start: UInt64, to end: UInt64) -> [Run]? {
    let page = PageMap.pageSize
    let last = (min(end, .max - page) + page - 1) / page * page
    var runs = PageRuns(start: min(start, last) / page * page)
    guard interface == .entries ? readEntries(to: last, &runs) : scan(to: last, &runs) else { return nil }
    runs.fill(to: last)
    return runs.all
  }

  // MARK: PAGEMAP_SCAN

  private static let longestAnswer = 512

  private static func works(_ interface: Interface, _ descriptor: Int32) -> Bool {
    guard interface != .entries else { return true }
    var request = ScanRequest(0..<0, withGuards: interface == .scanWithGuards)
    return withUnsafeMutablePointer(to: &request) { ioctl(descriptor, ScanRequest.number, $0) } == 0
  }

  private func scan(to end: UInt64, _ runs: inout PageRuns) -> Bool {
    var answer = [ScannedPages](repeating: ScannedPages(), count: PageMap.longestAnswer)
    var start = runs.end
    while start < end {
      var request = ScanRequest(start..<end, withGuards: interface == .scanWithGuards)
      let count = answer.withUnsafeMutableBufferPointer { answer in
        request.answer = UInt64(UInt(bitPattern: answer.baseAddress))
        request.answerLength = UInt64(answer.count)
        return withUnsafeMutablePointer(to: &request) { ioctl(descriptor, ScanRequest.number, $0) }
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0, request.walkEnd > start else { return false }
      for pages in answer.prefix(Int(count)) { runs.add(Run(start: pages.start, end: pages.end, state: pages.state)) }
      start = request.walkEnd
    }
    return true
  }

  // MARK: entries

  private func readEntries(to end: UInt64, _ runs: inout PageRuns) -> Bool {
    let page = PageMap.pageSize
    var entries = [UInt64](repeating: 0, count: 8192)
    var number = runs.end / page
    let last = end / page
    while number < last {
      let wanted = Int(min(last - number, UInt64(entries.count)))
      guard let place = off_t(exactly: number * 8) else { return false }
      let size = entries.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, wanted * 8, place) }
      guard size >= 8 else { return false }
      for index in 0..<(size / 8) where entries[index] != 0 {
        let address = (number + UInt64(index)) * page
        runs.add(Run(start: address, end: address + page, state: PageState(entry: entries[index])))
      }
      number += UInt64(size / 8)
    }
    return true
  }
}

/// The argument of PAGEMAP_SCAN: the kernel's `struct pm_scan_arg`.
private struct ScanRequest {
  /// `_IOWR('f', 16, struct pm_scan_arg)`.
  static let number: UInt = 0xC060_6610

  let size = UInt64(MemoryLayout<ScanRequest>.size)
  let flags: UInt64 = 0
  let start: UInt64
  let end: UInt64
  /// Set by the kernel: where it has stopped.
  private(set) var walkEnd: UInt64 = 0
  /// The address of an array of `ScannedPages`, and its length.
  var answer: UInt64 = 0
  var answerLength: UInt64 = 0
  let mostPages: UInt64 = 0
  let invertedCategories: UInt64 = 0
  let allCategories: UInt64 = 0
  /// Pages of one of these are told, each with those that it has of `toldCategories`.
  let anyCategories: UInt64
  let toldCategories: UInt64

  init(_ range: Range<UInt64>, withGuards: Bool) {
    (start, end) = (range.lowerBound, range.upperBound)
    anyCategories = ScannedPages.present | ScannedPages.swapped | (withGuards ? ScannedPages.isGuard : 0)
    toldCategories = anyCategories | ScannedPages.isFile
  }
}

/// The kernel's `struct page_region`, and its categories (linux/fs.h).
private struct ScannedPages {
  static let isFile: UInt64 = 1 << 2
  static let present: UInt64 = 1 << 3
  static let swapped: UInt64 = 1 << 4
  static let isGuard: UInt64 = 1 << 8

  var start: UInt64 = 0
  var end: UInt64 = 0
  var categories: UInt64 = 0
}

/// The pages from an address on: joins runs of one state, and fills the gaps between what is added.
private struct PageRuns {
  private(set) var all: [PageMap.Run] = []
  private(set) var end: UInt64

  init(start: UInt64) { end = start }

  /// - Parameter run: Behind what has been added before.
  mutating func add(_ run: PageMap.Run) {
    fill(to: run.start)
    if run.start < run.end { join(run) }
  }

  mutating func fill(to address: UInt64) { if end < address { join(PageMap.Run(start: end, end: address, state: [])) } }

  private mutating func join(_ run: PageMap.Run) {
    if all.last?.state == run.state { all[all.count - 1].end = run.end } else { all.append(run) }
    end = run.end
  }
}

/// The state of a page.
struct PageState: OptionSet {
  let rawValue: UInt8

  /// In memory.
  static let present = PageState(rawValue: 1 << 0)
  static let swapped = PageState(rawValue: 1 << 1)
  /// A page of a file or of shared memory.
  static let isShared = PageState(rawValue: 1 << 2)
  /// A guard in the middle of a mapping (MADV_GUARD_INSTALL), to which there is no access and which has no memory.
  static let isGuard = PageState(rawValue: 1 << 3)
}

extension PageState {
  /// - Parameter entry: Of /proc/PID/pagemap.
  fileprivate init(entry: UInt64) {
    func ifSet(_ bit: UInt64, _ state: PageState) -> PageState { entry & 1 << bit == 0 ? [] : state }
    // 58 since Linux 6.15.
    self = entry & 1 << 58 != 0 ? .isGuard : [ifSet(63, .present), ifSet(62, .swapped), ifSet(61, .isShared)]
  }
}

extension ScannedPages {
  fileprivate var state: PageState {
    func ifSet(_ category: UInt64, _ state: PageState) -> PageState { categories & category == 0 ? [] : state }
    // The kernel counts a guard among what is swapped out.
    guard categories & ScannedPages.isGuard == 0 else { return .isGuard }
    return [ifSet(ScannedPages.present, .present), ifSet(ScannedPages.swapped, .swapped), ifSet(ScannedPages.isFile, .isShared)]
  }
}
