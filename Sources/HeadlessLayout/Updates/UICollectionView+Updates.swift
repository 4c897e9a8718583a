import Foundation

extension UICollectionView {
  /// Inserts items; the paths are those after the update. The data source has to have them already, or get them within the same
  /// `performBatchUpdates(_:completion:)`.
  public func insertItems(at indexPaths: [IndexPath]) { announce(indexPaths.map { .insertItem($0) }) }

  /// Deletes items; the paths are those before the update.
  public func deleteItems(at indexPaths: [IndexPath]) { announce(indexPaths.map { .deleteItem($0) }) }

  /// Asks the data source for the cells of items anew; the paths are those before the update.
  public func reloadItems(at indexPaths: [IndexPath]) { announce(indexPaths.map { .reloadItem($0) }) }

  /// Moves an item; the first path is the one before the update, the second the one after it.
  public func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) { announce([.moveItem(from: indexPath, to: newIndexPath)]) }

  /// Inserts sections; the numbers are those after the update.
  public func insertSections(_ sections: IndexSet) { announce(sections.map { .insertSection($0) }) }

  /// Deletes sections; the numbers are those before the update.
  public func deleteSections(_ sections: IndexSet) { announce(sections.map { .deleteSection($0) }) }

  /// Asks the data source for sections anew; the numbers are those before the update.
  public func reloadSections(_ sections: IndexSet) { announce(sections.map { .reloadSection($0) }) }

  /// Moves a section; the first number is the one before the update, the second the one after it.
  public func moveSection(_ section: Int, toSection newSection: Int) { announce([.moveSection(from: section, to: newSection)]) }

  /// Makes several changes at once. `updates` changes the app's data and calls the methods above; then the views change, without
  /// animation, and `completion` is called with true, all before this method returns.
  ///
  /// The order of calls to the layout: `prepare()` and `collectionViewContentSize` for the new data,
  /// `prepare(forCollectionViewUpdates:)`, `targetContentOffset(forProposedContentOffset:)`, `layoutAttributesForElements(in:)`; the paths
  /// of supplementary and decoration views to delete and to insert, for each kind on show; the final attributes of each element that was
  /// on show, by its path before the update; the initial attributes of each element that is on show, by its path after it;
  /// `finalizeCollectionViewUpdates()`. As in UIKit the final and initial attributes are asked for elements too that only move: a layout
  /// tells by `prepare(forCollectionViewUpdates:)` which ones appear and disappear. A view that appears gets its initial attributes before
  /// those of the layout, and one that disappears its final ones before it is taken away.
  ///
  /// Where the changes don't lead from the counts before the update to those of the data source, UIKit raises an exception. Here the
  /// difference is reported on standard error, and everything is loaded anew as by `reloadData()`; the completion gets false.
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

  /// Adds changes to the update that is being collected, or performs them as an update of their own.
  private func announce(_ changes: [CollectionChange]) {
    guard collectedChanges == nil else {
      collectedChanges?.append(contentsOf: changes)
      return
    }
    // The app's data has changed already: counts that were never asked for can't be those before the change.
    guard knowledge != .nothing else { return setNeedsLayout() }
    layoutIfNeeded()
    _ = perform(changes)
  }
}
