import Foundation

extension UICollectionView {
  /// The selected items, in their order; nil if there are none.
  public var indexPathsForSelectedItems: [IndexPath]? { selection.isEmpty ? nil : selection.sorted() }

  /// Selects an item and scrolls to it. The item that was selected before no longer is, unless several may be. nil selects none; a path
  /// without an item changes nothing. The delegate isn't told.
  public func selectItem(at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
    guard allowsSelection else { return }
    guard let indexPath else { return select([]) }
    guard numberOfSections > 0, counts.contains(indexPath) else { return }
    select(allowsMultipleSelection ? selection.union([indexPath]) : [indexPath])
    if !scrollPosition.isEmpty { scrollToItem(at: indexPath, at: scrollPosition, animated: animated) }
  }

  /// Makes an item no longer selected. The delegate isn't told.
  public func deselectItem(at indexPath: IndexPath, animated: Bool) { select(selection.subtracting([indexPath])) }

  /// Sets the selected items, and tells their cells.
  func select(_ new: Set<IndexPath>) {
    let changed = selection.symmetricDifference(new)
    selection = new
    for path in changed { (visible[.cell(path)]?.view as? UICollectionViewCell)?.isSelected = new.contains(path) }
  }
}
