import Foundation
import HeadlessDrawing

extension UICollectionView {
  /// Scrolls to an item. With no position, or two of the same direction, the offset changes only as much as is needed to show the item. If there is
  /// no item at the index path, nothing changes.
  public func scrollToItem(at indexPath: IndexPath, at scrollPosition: ScrollPosition, animated: Bool) {
    guard let frame = layoutAttributesForItem(at: indexPath)?.frame, frame.isFinite else { return }
    let (inset, size) = (contentInset.sanitized, bounds.size)
    let x = ScrollAxis(start: frame.minX, end: frame.maxX, length: size.width, insets: (inset.left, inset.right))
      .offset(from: contentOffset.x, to: [.left, .centeredHorizontally, .right].map(scrollPosition.contains))
    let y = ScrollAxis(start: frame.minY, end: frame.maxY, length: size.height, insets: (inset.top, inset.bottom))
      .offset(from: contentOffset.y, to: [.top, .centeredVertically, .bottom].map(scrollPosition.contains))
    setContentOffset(reachable(CGPoint(x: x, y: y)), animated: animated)
  }

  /// Changes the layout. Everything happens at once; `animated` has no effect.
  ///
  /// The order of calls: `prepareForTransition(to:)` on the old layout; `prepareForTransition(from:)`, `prepare()`, `collectionViewContentSize`,
  /// `targetContentOffset(forProposedContentOffset:)` and `layoutAttributesForElements(in:)` on the new one; `finalizeLayoutTransition()` on both.
  public func setCollectionViewLayout(_ layout: UICollectionViewLayout, animated: Bool) {
    guard layout !== currentLayout else { return }
    let old = currentLayout
    let shown = visible.keys.sorted(by: ElementKey.precedes).compactMap { visible[$0]?.view }
    old.prepareForTransition(to: layout)
    layout.prepareForTransition(from: old)
    for view in shown { view.willTransition(from: old, to: layout) }
    old.collectionView = nil
    layout.collectionView?.leave(layout)
    layout.collectionView = self
    currentLayout = layout
    for key in visible.keys.filter({ $0.category == .decorationView }) { hide(key) }
    layout.invalidateLayout()
    prepareLayoutIfNeeded()
    takeTargetOffset()
    layoutIfNeeded()
    for view in shown { view.didTransition(from: old, to: layout) }
    old.finalizeLayoutTransition()
    layout.finalizeLayoutTransition()
  }

  /// Changes the layout. `completion` is called with true before this method returns.
  public func setCollectionViewLayout(_ layout: UICollectionViewLayout, animated: Bool, completion: ((Bool) -> Void)?) {
    setCollectionViewLayout(layout, animated: animated)
    completion?(true)
  }

  /// Sets the content offset that the layout and the delegate propose after a change.
  func takeTargetOffset() {
    let proposed = currentLayout.targetContentOffset(forProposedContentOffset: reachable(contentOffset))
    contentOffset = delegate?.collectionView(self, targetContentOffsetForProposedContentOffset: proposed) ?? proposed
  }

  /// Called when another collection view takes over the layout: this one gets a flow layout instead.
  private func leave(_ layout: UICollectionViewLayout) {
    report("a layout belongs to one collection view: the one that had it gets a flow layout")
    setCollectionViewLayout(UICollectionViewFlowLayout(), animated: false)
  }
}
