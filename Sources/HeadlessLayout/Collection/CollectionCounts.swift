import Foundation

/// The numbers of sections and items, as the data source told them.
struct CollectionCounts: Equatable, Sendable {
  /// The number of items of each section; negative numbers count as 0, too great ones as the greatest.
  let items: [Int]

  /// The greatest number of sections, and of a section's items: more can't be laid out in memory.
  static let greatest = 1 << 24

  init(_ items: [Int] = []) { self.items = items.map(Self.limited) }

  /// A number from 0 to the greatest; a greater one is reported.
  static func limited(_ count: Int) -> Int {
    if count > greatest { report("a data source has \(count) sections or items: \(greatest) are shown") }
    return min(max(count, 0), greatest)
  }

  /// The number of sections.
  var sections: Int { items.count }

  /// The number of items in a section; 0 for a section that isn't there.
  func items(in section: Int) -> Int { items.indices.contains(section) ? items[section] : 0 }

  /// Whether there is an item at a path.
  func contains(_ path: IndexPath) -> Bool { path.count == 2 && path.item >= 0 && path.item < items(in: path.section) }

  /// The paths of all items of a section.
  func paths(in section: Int) -> [IndexPath] { (0..<items(in: section)).map { IndexPath(item: $0, section: section) } }
}
