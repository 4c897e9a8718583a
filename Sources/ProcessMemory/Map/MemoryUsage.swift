/// How many bytes of one or more regions are in memory, modified, swapped out and so on. A value.
package struct MemoryUsage: Sendable, Equatable {
  /// Bytes in memory (`Rss`), including pages that are shared with other processes.
  package var resident: UInt64 = 0
  /// Bytes in memory, where each page is divided by the number of processes that map it (`Pss`).
  package var proportional: UInt64 = 0
  /// Bytes of modified pages that only this process maps (`Private_Dirty`).
  package var privateDirty: UInt64 = 0
  /// Bytes of modified pages that other processes map too (`Shared_Dirty`).
  package var sharedDirty: UInt64 = 0
  /// Bytes in swap space (`Swap`).
  package var swapped: UInt64 = 0
  /// Bytes in memory that belong to no file (`Anonymous`); in a file's mapping, the pages that the process has written.
  package var anonymous: UInt64 = 0

  package init() {}

  /// Bytes of all modified pages, which can't be discarded and read again from a file.
  package var dirty: UInt64 { privateDirty &+ sharedDirty }

  /// Adds the counts of another region.
  package static func += (sum: inout MemoryUsage, part: MemoryUsage) {
    sum.resident &+= part.resident
    sum.proportional &+= part.proportional
    sum.privateDirty &+= part.privateDirty
    sum.sharedDirty &+= part.sharedDirty
    sum.swapped &+= part.swapped
    sum.anonymous &+= part.anonymous
  }

  /// Takes the counts of a part away, which may be no more than these.
  static func -= (sum: inout MemoryUsage, part: MemoryUsage) {
    sum.resident &-= part.resident
    sum.proportional &-= part.proportional
    sum.privateDirty &-= part.privateDirty
    sum.sharedDirty &-= part.sharedDirty
    sum.swapped &-= part.swapped
    sum.anonymous &-= part.anonymous
  }

  /// The share of some pages in these counts, in proportion.
  ///
  /// - Parameters:
  ///   - present: The pages that are in memory, of `allPresent`.
  ///   - swapped: The pages that are swapped out, of `allSwapped`.
  func share(_ present: UInt64, of allPresent: UInt64, swapped: UInt64, of allSwapped: UInt64) -> MemoryUsage {
    var share = MemoryUsage()
    share.resident = MemoryUsage.share(of: resident, present, allPresent)
    share.proportional = MemoryUsage.share(of: proportional, present, allPresent)
    share.privateDirty = MemoryUsage.share(of: privateDirty, present, allPresent)
    share.sharedDirty = MemoryUsage.share(of: sharedDirty, present, allPresent)
    share.anonymous = MemoryUsage.share(of: anonymous, present, allPresent)
    share.swapped = MemoryUsage.share(of: self.swapped, swapped, allSwapped)
    return share
  }

  /// The bytes, no more than `bytes`, that fall to `part` of `all` pages; 0 where there are no pages.
  private static func share(of bytes: UInt64, _ part: UInt64, _ all: UInt64) -> UInt64 {
    guard all > 0, part < all else { return all > 0 ? bytes : 0 }
    let product = bytes.multipliedFullWidth(by: part)
    return all.dividingFullWidth(product).quotient
  }

  /// Sets the count of one field of smaps; other fields are ignored.
  mutating func set(_ field: String, bytes: UInt64) {
    switch field {
    case "Rss": resident = bytes
    case "Pss": proportional = bytes
    case "Private_Dirty": privateDirty = bytes
    case "Shared_Dirty": sharedDirty = bytes
    case "Swap": swapped = bytes
    case "Anonymous": anonymous = bytes
    default: break
    }
  }
}
