import Foundation

/// What memory knows of the responses whose URLs share one hash: as a rule the variants of one URL.
struct CacheVariants: Sendable {
  /// Variants of one URL that are kept, in memory and on disk.
  static let variantLimit = 16

  /// Where a response is kept besides memory.
  enum Home: Sendable {
    case memory
    case disk
  }

  struct Entry: Sendable {
    var response: StoredResponse
    var body: Data?
    var home: Home

    var cost: Int { response.headCost + (body?.count ?? 0) }
  }

  enum Knowledge: Sendable {
    /// The disk has nothing that isn't here.
    case whole
    /// The disk may have more.
    case part
  }

  /// Newest first.
  var entries: [Entry] = []
  var knowledge: Knowledge

  var cost: Int { entries.reduce(0) { $0 + $1.cost } }

  func responses(_ url: String) -> [StoredResponse] {
    entries.compactMap { $0.response.url == url ? $0.response : nil }
  }

  /// Puts `entry` in place of the one it replaces.
  mutating func put(_ entry: Entry) {
    let variant = entry.response.variant
    entries.removeAll { $0.response.url == entry.response.url && $0.response.variant == variant }
    entries.insert(entry, at: 0)
    if entries.count > CacheVariants.variantLimit { entries.removeLast() }
  }

  /// The group without the entries that `isDropped` names; nil if nothing is left that is worth keeping.
  func without(_ isDropped: (Entry) -> Bool) -> CacheVariants? {
    var group = self
    group.entries.removeAll(where: isDropped)
    return group.entries.isEmpty ? nil : group
  }
}
