import Foundation

extension UICollectionView {
  /// The index paths of the selected items, in ascending order; nil if there are none.
  public var indexPathsForSelectedItems: [IndexPath]? { selection.isEmpty ? nil : selection.sorted() }

  /// Selects an item and scrolls to it. An earlier selection is removed unless several items may be selected. A nil index path removes the selection;
  /// if there is no item at the index path, nothing changes. The delegate isn't told.
  public func selectItem(at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
    guard allowsSelection else { return }
    guard let indexPath else { return select([]) }
    guard numberOfSections > 0, counts.contains(indexPath) else { return }
    select(allowsMultipleSelection ? selection.union([indexPath]) : [indexPath])
    if !scrollPosition.isEmpty { scrollToItem(at: indexPath, at: scrollPosition, animated: animated) }
  }

  /// Deselects an item. The delegate isn't told.
  public func deselectItem(at indexPath: IndexPath, animated: Bool) { select(selection.subtracting([indexPath])) }

  /// Sets the selected items, and updates `isSelected` of their cells.
  func select(_ new: Set<IndexPath>) {
    let changed = selection.symmetricDifference(new)
    selection = new
    for path in changed { (visible[.cell(path)]?.view as? UICollectionViewCell)?.isSelected = new.contains(path) }
  }
}
