import Foundation

/// Which part of a layout is no longer valid. Layouts that can keep a part of their work have a subclass of their own, by
/// `invalidationContextClass`.
@preconcurrency @MainActor
open class UICollectionViewLayoutInvalidationContext: NSObject {
  /// Whether all of the layout is invalid: after `invalidateLayout()`, new data and a change of the layout object.
  public final internal(set) var invalidateEverything = false
  /// Whether the numbers of sections and items are to be asked for anew: after new data, insertions and deletions.
  public final internal(set) var invalidateDataSourceCounts = false

  /// The items named by `invalidateItems(at:)`; nil if there are none.
  public final private(set) var invalidatedItemIndexPaths: [IndexPath]?
  /// The supplementary views named by `invalidateSupplementaryElements(ofKind:at:)`, by kind; nil if there are none.
  public final private(set) var invalidatedSupplementaryIndexPaths: [String: [IndexPath]]?
  /// The decoration views named by `invalidateDecorationElements(ofKind:at:)`, by kind; nil if there are none.
  public final private(set) var invalidatedDecorationIndexPaths: [String: [IndexPath]]?

  /// The distance by which the content offset moves with the invalidation.
  open var contentOffsetAdjustment = CGPoint.zero
  /// The change of the content's size that the layout expects. The collection view asks the layout for the size after the invalidation.
  open var contentSizeAdjustment = CGSize.zero

  /// The paths where the moved items were. nil: items aren't moved by hand here.
  open var previousIndexPathsForInteractivelyMovingItems: [IndexPath]? { nil }
  /// The paths where the moved items are. nil: items aren't moved by hand here.
  open var targetIndexPathsForInteractivelyMovingItems: [IndexPath]? { nil }
  /// The place of the hand. Zero: items aren't moved by hand here.
  open var interactiveMovementTarget: CGPoint { .zero }

  /// A context that names nothing.
  public override init() { super.init() }

  /// Adds items to those whose attributes are invalid.
  open func invalidateItems(at indexPaths: [IndexPath]) {
    invalidatedItemIndexPaths = (invalidatedItemIndexPaths ?? []) + indexPaths
  }

  /// Adds supplementary views to those whose attributes are invalid.
  open func invalidateSupplementaryElements(ofKind elementKind: String, at indexPaths: [IndexPath]) {
    invalidatedSupplementaryIndexPaths = (invalidatedSupplementaryIndexPaths ?? [:]).merging([elementKind: indexPaths], uniquingKeysWith: +)
  }

  /// Adds decoration views to those whose attributes are invalid.
  open func invalidateDecorationElements(ofKind elementKind: String, at indexPaths: [IndexPath]) {
    invalidatedDecorationIndexPaths = (invalidatedDecorationIndexPaths ?? [:]).merging([elementKind: indexPaths], uniquingKeysWith: +)
  }
}
