import Foundation

extension UpdatePlan {
  /// The changes as the layout gets them: deletions from last to first, insertions from first to last, moves, reloads; each with sections before
  /// items.
  @MainActor var updateItems: [UICollectionViewUpdateItem] {
    let section = { (number: Int) in IndexPath(item: NSNotFound, section: number) }
    let deleted =
      changes.deletedSections.sorted(by: >).map(section) + changes.deletedItems.sorted(by: >)
    let inserted = changes.insertedSections.sorted().map(section) + changes.insertedItems.sorted()
    let moved =
      changes.movedSections.sorted { $0.key < $1.key }.map { (section($0.key), section($0.value)) }
      + changes.movedItems.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    let reloaded =
      changes.reloadedSections.sorted().map { (section($0), self.section($0).map(section)) }
      + changes.reloadedItems.sorted().map { ($0, item($0)) }
    return deleted.map { UICollectionViewUpdateItem(.delete, before: $0) }
      + inserted.map { UICollectionViewUpdateItem(.insert, after: $0) }
      + moved.map { UICollectionViewUpdateItem(.move, before: $0.0, after: $0.1) }
      + reloaded.map { UICollectionViewUpdateItem(.reload, before: $0.0, after: $0.1) }
  }

  /// The element that shows the same data after the update; nil if the element disappears or is reloaded.
  ///
  /// A supplementary view stays with its section. A decoration view shows no data, so it keeps its index path.
  func survivor(of element: ElementKey) -> ElementKey? {
    switch element.category {
    case .cell:
      guard !reloads(element.indexPath) else { return nil }
      return item(element.indexPath).map { .cell($0) }
    case .supplementaryView:
      let section = element.indexPath.section
      guard section != NSNotFound, !changes.reloadedSections.contains(section) else { return nil }
      guard let new = self.section(section) else { return nil }
      var moved = element
      moved.indexPath.section = new
      return moved
    case .decorationView: return element
    }
  }
}
