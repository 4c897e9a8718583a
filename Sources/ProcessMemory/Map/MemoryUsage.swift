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
