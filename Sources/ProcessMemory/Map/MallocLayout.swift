/// Reads `count` words of eight bytes at `address` in the examined process; returns nil if they can't be read.
package typealias ReadWords = (_ address: UInt64, _ count: Int) -> [UInt64]?

/// Recognizes the memory of glibc's malloc on 64-bit systems by the words that malloc writes at the beginning of its mappings. Has no side effects.
///
/// An arena other than the main one consists of heaps. A heap is a reservation of 64 MiB (`HEAP_MAX_SIZE`) at a multiple of 64 MiB, whose beginning
/// is accessible. It begins with a `heap_info`:
///
///     +0  ar_ptr         the arena: for its first heap, the address right behind the heap_info
///     +8  prev           the arena's heap before this one, or 0
///     +16 size           how much of the heap is in use
///     +24 mprotect_size  how much is accessible
///
/// A block above the threshold of mmap(2) has a mapping of its own, which begins with a chunk's header:
///
///     +0  prev_size      0, or what an alignment has left unused
///     +8  size | flags   the mapping's whole length, from glibc 2.43 on without the 16 bytes of this header; of the three flags, IS_MMAPPED (2)
///                        alone is set
package enum MallocLayout {
  /// The size of the reservation for a heap (glibc's `HEAP_MAX_SIZE`).
  package static let heapSize: UInt64 = 64 << 20

  /// A heap of an arena other than the main one.
  struct Heap: Equatable {
    var start: UInt64
    /// The length of the accessible part, in bytes.
    var accessible: UInt64
    var arena: UInt64
  }

  private static let page: UInt64 = 4096
  /// The length of a chunk's header.
  private static let headerSize: UInt64 = 16

  /// The heap that begins at `address`; nil if there is none.
  static func heap(at address: UInt64, _ words: ReadWords) -> Heap? {
    guard address.isMultiple(of: heapSize), let info = words(address, 4), info.count == 4 else { return nil }
    let (arena, previous, size, accessible) = (info[0], info[1], info[2], info[3])
    guard size > 0, size <= accessible, accessible <= heapSize, size.isMultiple(of: page), accessible.isMultiple(of: page) else {
      return nil
    }
    // The first heap of an arena contains the arena's state; every further heap refers to the one before it.
    let firstHeap = arena & ~(heapSize - 1)
    guard (32...256).contains(arena - firstHeap), previous.isMultiple(of: heapSize) else { return nil }
    guard previous == 0 ? firstHeap == address : firstHeap != address && previous != address else { return nil }
    return Heap(start: address, accessible: accessible, arena: arena)
  }

  /// The number of threads that allocate from the arena at `address`; nil if its state can't be read, or has another layout than those of glibc since
  /// 2.26.
  static func threads(ofArena address: UInt64, _ words: ReadWords) -> UInt64? {
    // From 2.43 on, `malloc_state` has no lists of freed small blocks. Before, there are addresses where the newer layout has the number of threads.
    threads(ofArena: address, at: 2072, words) ?? threads(ofArena: address, at: 2160, words)
  }

  private static func threads(ofArena address: UInt64, at offset: UInt64, _ words: ReadWords) -> UInt64? {
    // The fields of `malloc_state` from this offset on: next, next_free, attached_threads, system_mem, max_system_mem.
    guard let state = words(address &+ offset, 5), state.count == 5 else { return nil }
    let (next, attached, used, most) = (state[0], state[2], state[3], state[4])
    guard next != 0, attached < 1 << 22, used > 0, used <= most, used.isMultiple(of: page), most.isMultiple(of: page) else { return nil }
    return attached
  }

  /// The number of blocks with a mapping of their own that a region consists of; nil if the region isn't malloc's.
  ///
  /// The kernel merges adjacent mappings: blocks with each other, and with other memory before or after them. Each block's header tells where the
  /// next block may begin; pages without a header are skipped. The region is malloc's if blocks fill more than half of it.
  static func largeBlocks(in region: MemoryRegion, _ words: ReadWords) -> Int? {
    var (address, count, covered, passed) = (region.start, 0, UInt64(0), 0)
    while address < region.end, passed < mostPassedPages {
      if let length = largeBlock(at: address, before: region.end, words) {
        (address, count, covered) = (address + length, count + 1, covered + length)
      } else {
        guard region.end - address > page else { break }
        (address, passed) = (address + page, passed + 1)
      }
    }
    return count > 0 && covered > region.size / 2 ? count : nil
  }

  /// The most pages without a header that are skipped in one region: 2 MiB.
  private static let mostPassedPages = 512

  /// The length of the mapping of the block whose header is at `address`; nil if there is no such header.
  private static func largeBlock(at address: UInt64, before end: UInt64, _ words: ReadWords) -> UInt64? {
    guard let header = words(address, 2), header.count == 2 else { return nil }
    let (previous, size) = (header[0], header[1] & ~7)
    guard header[1] & 7 == 2, size >= page - headerSize, previous < page else { return nil }
    let (sum, overflow) = size.addingReportingOverflow(previous)
    guard !overflow, sum < .max - page else { return nil }
    let length = sum.isMultiple(of: page) ? sum : sum + headerSize
    return length.isMultiple(of: page) && length <= end - address ? length : nil
  }
}
