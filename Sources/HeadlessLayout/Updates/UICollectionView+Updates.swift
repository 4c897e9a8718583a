import Foundation

extension UICollectionView {
  /// Inserts items; the index paths are those after the update. The data source must already have the items, or get them in the same
  /// `performBatchUpdates(_:completion:)`.
  public func insertItems(at indexPaths: [IndexPath]) { announce(indexPaths.map { .insertItem($0) }) }

  /// Deletes items; the index paths are those before the update.
  public func deleteItems(at indexPaths: [IndexPath]) { announce(indexPaths.map { .deleteItem($0) }) }

  /// Asks the data source again for the cells of items; the index paths are those before the update.
  public func reloadItems(at indexPaths: [IndexPath]) { announce(indexPaths.map { .reloadItem($0) }) }

  /// Moves an item; the first index path is that before the update, the second that after it.
  public func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) { announce([.moveItem(from: indexPath, to: newIndexPath)]) }

  /// Inserts sections; the indexes are those after the update.
  public func insertSections(_ sections: IndexSet) { announce(sections.map { .insertSection($0) }) }

  /// Deletes sections; the indexes are those before the update.
  public func deleteSections(_ sections: IndexSet) { announce(sections.map { .deleteSection($0) }) }

  /// Asks the data source again for the contents of sections; the indexes are those before the update.
  public func reloadSections(_ sections: IndexSet) { announce(sections.map { .reloadSection($0) }) }

  /// Moves a section; the first index is that before the update, the second that after it.
  public func moveSection(_ section: Int, toSection newSection: Int) { announce([.moveSection(from: section, to: newSection)]) }

  /// Makes several changes at once. `updates` changes the app's data and calls the methods above; then the views change without animation, and
  /// `completion` is called with true, all before this method returns.
  ///
  /// The order of calls to the layout: `prepare()` and `collectionViewContentSize` for the new data; `prepare(forCollectionViewUpdates:)`,
  /// `targetContentOffset(forProposedContentOffset:)`, `layoutAttributesForElements(in:)`; the index paths of supplementary and decoration views to
  /// delete and to insert, for each visible kind; the final attributes of each element that was visible, by its index path before the update; the
  /// initial attributes of each element that is visible afterwards, by its index path after the update; `finalizeCollectionViewUpdates()`. As in
  /// UIKit, the final and initial attributes are also asked for elements that only move: a layout learns from `prepare(forCollectionViewUpdates:)`
  /// which ones appear and disappear. A view that appears gets its initial attributes before those of the layout, and one that disappears gets its
  /// final attributes before it is removed.
  ///
  /// If the changes don't lead from the counts before the update to those of the data source, UIKit raises an exception. Here the difference is
  /// reported on standard error, everything is loaded again as by `reloadData()`, and the completion gets false.
  public func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
    let outermost = collectedChanges == nil
    if outermost {
      layoutIfNeeded()
      collectedChanges = []
    }
    updates?()
    guard outermost else {
      completion?(true)
      return
    }
    let changes = collectedChanges ?? []
    collectedChanges = nil
    let finished = perform(changes)
    completion?(finished)
  }

  /// Adds changes to the current `performBatchUpdates(_:completion:)`; outside of one, performs them at once.
  private func announce(_ changes: [CollectionChange]) {
    guard collectedChanges == nil else {
      collectedChanges?.append(contentsOf: changes)
      return
    }
    // If the counts are unknown, the data source can't be asked for those before the change any more, as its data has already changed.
    guard knowledge != .nothing else { return setNeedsLayout() }
    layoutIfNeeded()
    _ = perform(changes)
  }
}
