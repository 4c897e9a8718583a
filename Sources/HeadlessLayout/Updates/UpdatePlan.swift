import Foundation

/// Maps each section and item before an update to its place after it. A value; creating it throws if the changes don't lead from the counts before
/// the update to those after it.
struct UpdatePlan: Sendable {
  /// Why the changes don't match the counts, as a sentence for a report.
  struct Mismatch: Error, Equatable {
    let message: String
  }

  let changes: CollectionChanges
  private let old: CollectionCounts
  /// For each section before the update, its index after it; nil if it is deleted.
  private let sections: [Int?]
  /// For sections with changes of items, the new index path of each item; nil if it is deleted.
  private var items: [IndexPath: IndexPath?] = [:]

  init(_ announced: [CollectionChange], from old: CollectionCounts, to new: CollectionCounts) throws(Mismatch) {
    changes = CollectionChanges(announced)
    self.old = old
    try Self.checkPaths(changes, from: old, to: new)
    let expected = old.sections - changes.deletedSections.count + changes.insertedSections.count
    guard expected == new.sections else {
      throw Mismatch(
        message: "invalid number of sections: \(new.sections) after the update, but there were \(old.sections) before it, of which "
          + "\(changes.deletedSections.count) were deleted, and \(changes.insertedSections.count) were inserted")
    }
    let gone = changes.deletedSections.union(changes.movedSections.keys)
    let taken = changes.insertedSections.union(changes.movedSections.values)
    let kept = Self.survivors(of: old.sections, gone: gone, among: new.sections, taken: taken)
    let moved = changes.movedSections
    sections = (0..<old.sections).map { moved[$0] ?? kept[$0] }
    try mapItems(from: old, to: new)
  }

  /// The index of a section after the update; nil if it was deleted.
  func section(_ section: Int) -> Int? { sections.indices.contains(section) ? sections[section] : nil }

  /// The index path of an item after the update; nil if the item or its section was deleted. A reloaded item has an index path too.
  func item(_ path: IndexPath) -> IndexPath? {
    if let mapped = items[path] { return mapped }
    return section(path.section).map { IndexPath(item: path.item, section: $0) }
  }

  /// Whether an item is reloaded; the index path is that before the update.
  func reloads(_ path: IndexPath) -> Bool { changes.reloadedItems.contains(path) || changes.reloadedSections.contains(path.section) }

  /// Maps the items of sections in which items change, and checks the counts of all sections.
  private mutating func mapItems(from old: CollectionCounts, to new: CollectionCounts) throws(Mismatch) {
    let gone = Dictionary(grouping: changes.deletedItems.union(changes.movedItems.keys), by: \.section)
    let taken = Dictionary(grouping: changes.insertedItems.union(changes.movedItems.values), by: \.section)
    for before in 0..<old.sections where !changes.reloadedSections.contains(before) {
      let (left, came) = (gone[before] ?? [], sections[before].flatMap { taken[$0] } ?? [])
      guard let after = sections[before] else { continue }
      let expected = old.items(in: before) - left.count + came.count
      guard expected == new.items(in: after) else {
        throw Mismatch(
          message: "invalid number of items in section \(after): \(new.items(in: after)) after the update, but there were "
            + "\(old.items(in: before)) before it, of which \(left.count) were deleted or moved away, and \(came.count) were inserted or "
            + "moved here")
      }
      guard !left.isEmpty || !came.isEmpty else { continue }
      let kept = Self.survivors(
        of: old.items(in: before), gone: Set(left.map(\.item)), among: new.items(in: after), taken: Set(came.map(\.item)))
      for item in 0..<old.items(in: before) {
        items[IndexPath(item: item, section: before)] = .some(kept[item].map { IndexPath(item: $0, section: after) })
      }
    }
    for (from, to) in changes.movedItems { items[from] = .some(to) }
  }

  /// The new positions of elements that stay: in their old order, in the positions that aren't taken by inserted or moved elements.
  private static func survivors(of old: Int, gone: Set<Int>, among new: Int, taken: Set<Int>) -> [Int?] {
    var places = (0..<max(new, 0)).lazy.filter { !taken.contains($0) }.makeIterator()
    return (0..<old).map { gone.contains($0) ? nil : places.next() }
  }

  /// Checks that all sections and items in the changes exist, and that no place is taken twice.
  private static func checkPaths(_ changes: CollectionChanges, from old: CollectionCounts, to new: CollectionCounts) throws(Mismatch) {
    let before = changes.deletedItems.union(changes.reloadedItems).union(changes.movedItems.keys)
    if let path = before.first(where: { !old.contains($0) }) {
      throw Mismatch(message: "there is no item at \(path) before the update")
    }
    let after = changes.insertedItems.union(changes.movedItems.values)
    if let path = after.first(where: { !new.contains($0) }) {
      throw Mismatch(message: "there is no item at \(path) after the update")
    }
    let sectionsBefore = changes.deletedSections.union(changes.reloadedSections).union(changes.movedSections.keys)
    if let section = sectionsBefore.first(where: { !(0..<old.sections).contains($0) }) {
      throw Mismatch(message: "there is no section \(section) before the update")
    }
    let sectionsAfter = changes.insertedSections.union(changes.movedSections.values)
    if let section = sectionsAfter.first(where: { !(0..<new.sections).contains($0) }) {
      throw Mismatch(message: "there is no section \(section) after the update")
    }
    guard Set(changes.movedItems.values).count == changes.movedItems.count,
      changes.insertedItems.isDisjoint(with: changes.movedItems.values),
      Set(changes.movedSections.values).count == changes.movedSections.count,
      changes.insertedSections.isDisjoint(with: changes.movedSections.values)
    else { throw Mismatch(message: "two items or sections are moved to or inserted at one place") }
  }
}
