import Foundation

/// The number of sections, and of each section's items, as the data source has returned them.
struct CollectionCounts: Equatable, Sendable {
  /// The number of items of each section, limited to 0 … `greatest`.
  let items: [Int]

  /// The largest number of sections, and of items of a section. More couldn't be laid out in memory.
  static let greatest = 1 << 24

  init(_ items: [Int] = []) { self.items = items.map(Self.limited) }

  /// The count limited to 0 … `greatest`; a larger one is reported on standard error.
  static func limited(_ count: Int) -> Int {
    if count > greatest { report("a data source has \(count) sections or items: \(greatest) are shown") }
    return min(max(count, 0), greatest)
  }

  /// The number of sections.
  var sections: Int { items.count }

  /// The number of items in a section; 0 for a section that doesn't exist.
  func items(in section: Int) -> Int { items.indices.contains(section) ? items[section] : 0 }

  /// Whether there is an item at this index path.
  func contains(_ path: IndexPath) -> Bool { path.count == 2 && path.item >= 0 && path.item < items(in: path.section) }

  /// The index paths of all items of a section.
  func paths(in section: Int) -> [IndexPath] { (0..<items(in: section)).map { IndexPath(item: $0, section: section) } }
}
