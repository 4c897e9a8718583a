import Foundation

extension UpdatePlan {
  /// The update as the layout is told it: deletions from the last to the first, insertions from the first to the last, moves, reloads; of
  /// each the sections before the items.
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

  /// The element that shows the same after the update; nil for one that disappears or is asked for anew.
  ///
  /// Supplementary views stay with their section. Decoration views, which show no data, are taken by their path.
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
