/// How much of a region, or of several, is where. All counts are bytes. A value.
package struct MemoryUsage: Sendable, Equatable {
  /// In memory (`Rss`): the process's own pages and those that it shares with others.
  package var resident: UInt64 = 0
  /// The resident pages, each divided by the number of processes that map it (`Pss`).
  package var proportional: UInt64 = 0
  /// Modified pages that only this process maps (`Private_Dirty`).
  package var privateDirty: UInt64 = 0
  /// Modified pages that other processes map too (`Shared_Dirty`).
  package var sharedDirty: UInt64 = 0
  /// In swap space (`Swap`).
  package var swapped: UInt64 = 0
  /// Resident pages that belong to no file (`Anonymous`): in a mapping of a file, those that the process has written.
  package var anonymous: UInt64 = 0

  package init() {}

  /// Modified pages: the file system can't supply them again.
  package var dirty: UInt64 { privateDirty &+ sharedDirty }

  /// Adds another region's counts.
  package static func += (sum: inout MemoryUsage, part: MemoryUsage) {
    sum.resident &+= part.resident
    sum.proportional &+= part.proportional
    sum.privateDirty &+= part.privateDirty
    sum.sharedDirty &+= part.sharedDirty
    sum.swapped &+= part.swapped
    sum.anonymous &+= part.anonymous
  }

  /// Takes over one line of smaps; fields that aren't counted here are passed over.
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
