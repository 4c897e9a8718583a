import Foundation

/// Describes which part of a layout is invalid. A layout that can keep other parts of its results has a subclass, which `invalidationContextClass`
/// returns.
@preconcurrency @MainActor
open class UICollectionViewLayoutInvalidationContext: NSObject {
  /// Whether the whole layout is invalid: after `invalidateLayout()`, after `reloadData()`, and for a new layout.
  public final internal(set) var invalidateEverything = false
  /// Whether the numbers of sections and items have to be asked for again: after `reloadData()` and in updates.
  public final internal(set) var invalidateDataSourceCounts = false

  /// The items that `invalidateItems(at:)` has added; nil if there are none.
  public final private(set) var invalidatedItemIndexPaths: [IndexPath]?
  /// The supplementary views that `invalidateSupplementaryElements(ofKind:at:)` has added, by kind; nil if there are none.
  public final private(set) var invalidatedSupplementaryIndexPaths: [String: [IndexPath]]?
  /// The decoration views that `invalidateDecorationElements(ofKind:at:)` has added, by kind; nil if there are none.
  public final private(set) var invalidatedDecorationIndexPaths: [String: [IndexPath]]?

  /// The distance by which the invalidation moves the content offset.
  open var contentOffsetAdjustment = CGPoint.zero
  /// The change of the content size that the layout expects. It isn't used: the collection view asks the layout for the size after the invalidation.
  open var contentSizeAdjustment = CGSize.zero

  /// The earlier index paths of items that the user moves. Always nil, as there are no gestures here.
  open var previousIndexPathsForInteractivelyMovingItems: [IndexPath]? { nil }
  /// The new index paths of items that the user moves. Always nil, as there are no gestures here.
  open var targetIndexPathsForInteractivelyMovingItems: [IndexPath]? { nil }
  /// The point to which the user moves items. Always zero, as there are no gestures here.
  open var interactiveMovementTarget: CGPoint { .zero }

  /// A context without invalid elements.
  public override init() { super.init() }

  /// Adds items whose attributes are invalid.
  open func invalidateItems(at indexPaths: [IndexPath]) {
    invalidatedItemIndexPaths = (invalidatedItemIndexPaths ?? []) + indexPaths
  }

  /// Adds supplementary views whose attributes are invalid.
  open func invalidateSupplementaryElements(ofKind elementKind: String, at indexPaths: [IndexPath]) {
    invalidatedSupplementaryIndexPaths = (invalidatedSupplementaryIndexPaths ?? [:]).merging([elementKind: indexPaths], uniquingKeysWith: +)
  }

  /// Adds decoration views whose attributes are invalid.
  open func invalidateDecorationElements(ofKind elementKind: String, at indexPaths: [IndexPath]) {
    invalidatedDecorationIndexPaths = (invalidatedDecorationIndexPaths ?? [:]).merging([elementKind: indexPaths], uniquingKeysWith: +)
  }
}
