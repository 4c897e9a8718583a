import Foundation
import HeadlessDrawing

extension UICollectionView {
  /// The layout. Setting it is the same as `setCollectionViewLayout(_:animated:)` without animation.
  public var collectionViewLayout: UICollectionViewLayout {
    get { currentLayout }
    set { setCollectionViewLayout(newValue, animated: false) }
  }

  /// The number of sections.
  public var numberOfSections: Int {
    askForCounts()
    return counts.sections
  }

  /// The number of items in a section; 0 for a section that doesn't exist.
  public func numberOfItems(inSection section: Int) -> Int {
    askForCounts()
    return counts.items(in: section)
  }

  // MARK: - Visible elements

  /// The visible cells, ordered by their index paths.
  public var visibleCells: [UICollectionViewCell] { shownCells.map(\.cell) }

  /// The index paths of the visible items, in ascending order.
  public var indexPathsForVisibleItems: [IndexPath] { shownCells.map(\.path) }

  /// The cell of an item; nil if it isn't visible.
  public func cellForItem(at indexPath: IndexPath) -> UICollectionViewCell? {
    layoutIfNeeded()
    return visible[.cell(indexPath)]?.view as? UICollectionViewCell
  }

  /// The visible supplementary views of a kind, ordered by their index paths.
  public func visibleSupplementaryViews(ofKind elementKind: String) -> [UICollectionReusableView] {
    indexPathsForVisibleSupplementaryElements(ofKind: elementKind).compactMap { visible[.supplementary(elementKind, $0)]?.view }
  }

  /// The index paths of the visible supplementary views of a kind, in ascending order.
  public func indexPathsForVisibleSupplementaryElements(ofKind elementKind: String) -> [IndexPath] {
    layoutIfNeeded()
    return visible.keys.filter { $0.category == .supplementaryView && $0.kind == elementKind }.map(\.indexPath).sorted()
  }

  /// The supplementary view of a kind at an index path; nil if it isn't visible.
  public func supplementaryView(forElementKind elementKind: String, at indexPath: IndexPath) -> UICollectionReusableView? {
    layoutIfNeeded()
    return visible[.supplementary(elementKind, indexPath)]?.view
  }

  /// The index path of the item that a cell shows; nil if the cell isn't visible.
  public func indexPath(for cell: UICollectionViewCell) -> IndexPath? { shownCells.first { $0.cell === cell }?.path }

  private var shownCells: [(path: IndexPath, cell: UICollectionViewCell)] {
    layoutIfNeeded()
    return visible.compactMap { key, shown in (shown.view as? UICollectionViewCell).map { (key.indexPath, $0) } }
      .sorted { $0.0 < $1.0 }
  }

  // MARK: - Attributes from the layout

  /// The attributes of an item; nil if there is no such item or the layout has none for it.
  public func layoutAttributesForItem(at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    prepareLayoutIfNeeded()
    return counts.contains(indexPath) ? currentLayout.layoutAttributesForItem(at: indexPath) : nil
  }

  /// The attributes of a supplementary view; nil if the layout has none for it.
  public func layoutAttributesForSupplementaryElement(ofKind kind: String, at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    prepareLayoutIfNeeded()
    return currentLayout.layoutAttributesForSupplementaryView(ofKind: kind, at: indexPath)
  }

  /// The index path of the frontmost item at a point of the content; nil if there is none.
  public func indexPathForItem(at point: CGPoint) -> IndexPath? {
    guard point.isFinite else { return nil }
    prepareLayoutIfNeeded()
    let here = CGRect(x: point.x, y: point.y, width: 1, height: 1)
    let hits = (currentLayout.layoutAttributesForElements(in: here) ?? []).filter {
      // `contains(_:)` ends the process if a coordinate is NaN.
      $0.representedElementCategory == .cell && !$0.isHidden && $0.frame.isFinite && $0.frame.contains(point)
        && counts.contains($0.indexPath)
    }
    return hits.enumerated().max { ($0.element.zIndex, $0.offset) < ($1.element.zIndex, $1.offset) }?.element.indexPath
  }

  /// Asks the data source for its counts if they aren't known. Doesn't prepare the layout, because the layout may be the caller.
  private func askForCounts() {
    guard knowledge == .nothing, activity == .none else { return }
    counts = countsOfDataSource()
    knowledge = .counts
  }
}
