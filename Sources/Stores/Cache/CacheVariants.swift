import Foundation

/// The responses in memory whose URLs share one hash; usually the variants of one URL (RFC 9111, 4.1).
struct CacheVariants: Sendable {
  /// Maximum number of variants of one URL that are kept, in memory and on disk.
  static let variantLimit = 16

  /// Whether a response is only in memory, or also on disk.
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
    /// All responses of this hash that the disk has are here as well.
    case whole
    /// The disk may have responses of this hash that aren't here.
    case part
  }

  /// The newest response first.
  var entries: [Entry] = []
  var knowledge: Knowledge

  var cost: Int { entries.reduce(0) { $0 + $1.cost } }

  func responses(_ url: String) -> [StoredResponse] {
    entries.compactMap { $0.response.url == url ? $0.response : nil }
  }

  /// Adds `entry`, in the place of the response with the same URL and variant.
  mutating func put(_ entry: Entry) {
    let variant = entry.response.variant
    entries.removeAll { $0.response.url == entry.response.url && $0.response.variant == variant }
    entries.insert(entry, at: 0)
    if entries.count > CacheVariants.variantLimit { entries.removeLast() }
  }

  /// The group with those of its entries, the newest first, that fit into `capacity` bytes together.
  func fitting(_ capacity: Int) -> CacheVariants {
    guard cost > capacity else { return self }
    var (fitting, rest) = (CacheVariants(knowledge: knowledge), capacity)
    for entry in entries {
      if entry.cost <= rest {
        rest -= entry.cost
        fitting.entries.append(entry)
      } else if entry.home == .disk {
        fitting.knowledge = .part
      }
    }
    return fitting
  }

  /// The group without the entries for which `isDropped` is true; nil if none is left.
  func without(_ isDropped: (Entry) -> Bool) -> CacheVariants? {
    var group = self
    group.entries.removeAll(where: isDropped)
    return group.entries.isEmpty ? nil : group
  }
}
