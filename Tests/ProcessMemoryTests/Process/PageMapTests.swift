import ChildProcesses
import Foundation
import Testing

@testable import ProcessMemory

/// States of this process's own pages, as the kernel tells them by each interface that it has.
@Suite struct PageMapTests {
  private static let page = PageMap.pageSize
  /// MADV_GUARD_INSTALL: Linux 6.13 and newer.
  private static let guardAdvice: CInt = 102

  /// Those that work: a kernel may have none at all.
  private static func maps(_ interfaces: [PageMap.Interface]) -> [PageMap] {
    interfaces.compactMap { interface in
      let map = PageMap(process: getpid(), [interface])
      return map.interface == interface && map.runs(from: page, to: 2 * page) != nil ? map : nil
    }
  }

  /// Calls `body` with the address of so many bytes of which none has been touched; does nothing where there aren't any.
  private func withMemory(_ size: UInt64, _ body: (UInt64) throws -> Void) rethrows {
    let options = Int32(MAP_PRIVATE | MAP_NORESERVE) | Int32(MAP_ANONYMOUS)
    guard let memory = mmap(nil, Int(size), PROT_READ | PROT_WRITE, options, -1, 0), memory != MAP_FAILED else { return }
    defer { munmap(memory, Int(size)) }
    // Otherwise the kernel may take two megabytes where one byte is written.
    madvise(memory, Int(size), 15)
    try body(UInt64(UInt(bitPattern: memory)))
  }

  private func touch(_ address: UInt64) { UnsafeMutableRawPointer(bitPattern: UInt(address))?.storeBytes(of: 1, as: UInt8.self) }

  private func putGuard(_ address: UInt64) -> Bool {
    madvise(UnsafeMutableRawPointer(bitPattern: UInt(address)), Int(Self.page), Self.guardAdvice) == 0
  }

  /// The lengths of runs in pages, each with a letter: `p` in memory, `g` guard, `-` never touched.
  private func described(_ runs: [PageMap.Run]?) -> String? {
    let letters: [UInt8: String] = [PageState.present.rawValue: "p", PageState.isGuard.rawValue: "g", 0: "-"]
    return runs?.map { "\($0.pages)" + letters[$0.state.rawValue, default: "?"] }.joined(separator: " ")
  }

  @Test func runsAreOfOneStateAndLeaveNothingOut() {
    let page = Self.page
    withMemory(100 * page) { start in
      for number: UInt64 in [0, 1, 50, 99] { touch(start + number * page) }
      for map in Self.maps(PageMap.Interface.allCases) {
        #expect(described(map.runs(from: start, to: start + 100 * page)) == "2p 48- 1p 48- 1p")
        #expect(described(map.runs(from: start + page + 1, to: start + 50 * page + 1)) == "1p 48- 1p")
        #expect(described(map.runs(from: start + 2 * page, to: start + 3 * page)) == "1-")
        #expect(map.runs(from: start, to: start) == [] && map.runs(from: .max, to: .max) == [])
      }
    }
  }

  @Test func guardsAreTold() {
    let page = Self.page
    withMemory(10 * page) { start in
      touch(start + 3 * page)
      guard putGuard(start + 2 * page) else { return }
      for map in Self.maps([.scanWithGuards]) {
        #expect(map.knowsGuards)
        #expect(described(map.runs(from: start, to: start + 10 * page)) == "2- 1g 1p 6-")
      }
    }
  }

  /// More runs than the kernel tells at once.
  @Test func thousandsOfRunsAreTold() {
    let (page, count) = (Self.page, UInt64(3000))
    withMemory(count * page) { start in
      for number in stride(from: 0, to: count, by: 2) { touch(start + number * page) }
      let expected = (0..<count).map { number in
        PageMap.Run(start: start + number * page, end: start + (number + 1) * page, state: number % 2 == 0 ? .present : [])
      }
      for map in Self.maps(PageMap.Interface.allCases) { #expect(map.runs(from: start, to: start + count * page) == expected) }
    }
  }

  #if !THREAD_SANITIZER
    /// As Go, Java and sanitizers reserve it: what isn't mapped is passed over, where reading an entry for each page would take minutes.
    @Test(.enabled(if: !TestProgram.isEmulated, "an emulator keeps a note of each page, some 16 GiB in all"))
    func terabytesOfReservedMemoryAreRead() {
      let size: UInt64 = 8 << 40
      withMemory(size) { start in
        touch(start + size / 2)
        for map in Self.maps([.scanWithGuards, .scan]) {
          #expect(described(map.runs(from: start, to: start + size)) == "\(size / 2 / Self.page)- 1p \(size / 2 / Self.page - 1)-")
        }
      }
    }
  #endif

  @Test func absentProcessHasNoPages() {
    for interface in PageMap.Interface.allCases {
      #expect(PageMap(process: -1, [interface]).runs(from: 0, to: Self.page) == nil)
    }
  }
}
