import Foundation
import HeadlessDrawing

/// The base class of layouts: it tells a collection view where its cells, supplementary views and decoration views lie.
///
/// The collection view calls `prepare()` first, then reads `collectionViewContentSize`, then calls `layoutAttributesForElements(in:)` for
/// what is on show, and the methods for single elements as it needs them. A change of the bounds asks
/// `shouldInvalidateLayout(forBoundsChange:)` first.
@preconcurrency @MainActor
open class UICollectionViewLayout: NSObject {
  /// The collection view that the layout belongs to.
  public final internal(set) weak var collectionView: UICollectionView?
  /// The classes of decoration views, by kind.
  final var decorationClasses: [String: AnyClass] = [:]

  /// A layout without a collection view.
  public override init() { super.init() }

  /// A layout without a collection view; archives of layouts aren't read.
  public required init?(coder: NSCoder) { super.init() }

  /// The class of the attributes that the layout makes. Subclasses with attributes of their own override it.
  open class var layoutAttributesClass: AnyClass { UICollectionViewLayoutAttributes.self }

  /// The class of the contexts of the layout's invalidations. Subclasses with contexts of their own override it.
  open class var invalidationContextClass: AnyClass { UICollectionViewLayoutInvalidationContext.self }

  // MARK: - What the layout provides

  /// Prepares the layout: called first after each invalidation, before anything else is asked. Does nothing; subclasses override it.
  open func prepare() {}

  /// The size of the whole content. Zero; subclasses override it.
  open var collectionViewContentSize: CGSize { .zero }

  /// The attributes of all elements in a rectangle. nil; subclasses override it.
  open func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? { nil }

  /// The attributes of an item's cell. nil; subclasses override it.
  open func layoutAttributesForItem(at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? { nil }

  /// The attributes of a supplementary view. nil; subclasses that have such views override it.
  open func layoutAttributesForSupplementaryView(ofKind elementKind: String, at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    nil
  }

  /// The attributes of a decoration view. nil; subclasses that have such views override it.
  open func layoutAttributesForDecorationView(ofKind elementKind: String, at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    nil
  }

  /// The content offset at which scrolling is to end. The proposed one; subclasses override it to stop at items.
  ///
  /// - Parameter velocity: In points a millisecond. The collection view doesn't call this: there are no gestures here.
  open func targetContentOffset(forProposedContentOffset proposedContentOffset: CGPoint, withScrollingVelocity velocity: CGPoint) -> CGPoint
  {
    targetContentOffset(forProposedContentOffset: proposedContentOffset)
  }

  /// The content offset after an update or a change of layouts. The proposed one; subclasses override it.
  open func targetContentOffset(forProposedContentOffset proposedContentOffset: CGPoint) -> CGPoint { proposedContentOffset }

  /// The direction for which the layout was made. From left to right.
  open var developmentLayoutDirection: UIUserInterfaceLayoutDirection { .leftToRight }

  /// Whether the layout is mirrored from right to left. Never, and nothing is.
  open var flipsHorizontallyInOppositeLayoutDirection: Bool { false }

  // MARK: - Decoration views

  /// Registers the class of the decoration views of a kind; nil takes it out. The collection view makes and reuses the views.
  open func register(_ viewClass: AnyClass?, forDecorationViewOfKind elementKind: String) { decorationClasses[elementKind] = viewClass }

  // MARK: - Invalidation

  /// Makes all of the layout invalid: the next layout of the collection view calls `prepare()`.
  open func invalidateLayout() {
    let context = newContext()
    context.invalidateEverything = true
    invalidateLayout(with: context)
  }

  /// Makes a part of the layout invalid. Subclasses that keep work override it, and call the superclass's.
  open func invalidateLayout(with context: UICollectionViewLayoutInvalidationContext) { collectionView?.takeInvalidation(context) }

  /// Whether the layout becomes invalid by new bounds of the collection view; asked before they are set. No; subclasses override it.
  open func shouldInvalidateLayout(forBoundsChange newBounds: CGRect) -> Bool { false }

  /// The context of an invalidation by new bounds.
  open func invalidationContext(forBoundsChange newBounds: CGRect) -> UICollectionViewLayoutInvalidationContext { newContext() }

  /// Whether the layout becomes invalid by the attributes that a cell prefers. No; subclasses with cells that size themselves override it.
  open func shouldInvalidateLayout(
    forPreferredLayoutAttributes preferredAttributes: UICollectionViewLayoutAttributes,
    withOriginalAttributes originalAttributes: UICollectionViewLayoutAttributes
  ) -> Bool { false }

  /// The context of an invalidation by the attributes that a cell prefers: it names the element.
  open func invalidationContext(
    forPreferredLayoutAttributes preferredAttributes: UICollectionViewLayoutAttributes,
    withOriginalAttributes originalAttributes: UICollectionViewLayoutAttributes
  ) -> UICollectionViewLayoutInvalidationContext {
    let context = newContext()
    let path = originalAttributes.indexPath
    switch (originalAttributes.representedElementCategory, originalAttributes.representedElementKind) {
    case (.supplementaryView, let kind?): context.invalidateSupplementaryElements(ofKind: kind, at: [path])
    case (.decorationView, let kind?): context.invalidateDecorationElements(ofKind: kind, at: [path])
    default: context.invalidateItems(at: [path])
    }
    return context
  }

  /// A context of the layout's class.
  final func newContext() -> UICollectionViewLayoutInvalidationContext {
    guard let type = Self.invalidationContextClass as? UICollectionViewLayoutInvalidationContext.Type else {
      report("\(Self.invalidationContextClass) isn't a class of invalidation contexts: UIKit's own is used")
      return UICollectionViewLayoutInvalidationContext()
    }
    return type.make(instance: ())
  }

  /// Attributes of the layout's class.
  final func newAttributes(_ element: ElementKey) -> UICollectionViewLayoutAttributes {
    guard let type = Self.layoutAttributesClass as? UICollectionViewLayoutAttributes.Type else {
      report("\(Self.layoutAttributesClass) isn't a class of layout attributes: UIKit's own is used")
      return .make(element)
    }
    return type.make(element)
  }

  // MARK: - Updates, called by the collection view

  /// Tells the layout which items and sections are inserted, deleted, moved and reloaded; `prepare()` has been called for the new data.
  /// Does nothing; subclasses override it.
  open func prepare(forCollectionViewUpdates updateItems: [UICollectionViewUpdateItem]) {}

  /// Ends what `prepare(forCollectionViewUpdates:)` began. Does nothing; subclasses override it.
  open func finalizeCollectionViewUpdates() {}

  /// Tells the layout that the bounds change as part of an animation. Does nothing, and isn't called: there are no animations here.
  open func prepare(forAnimatedBoundsChange oldBounds: CGRect) {}

  /// Ends what `prepare(forAnimatedBoundsChange:)` began. Does nothing, and isn't called.
  open func finalizeAnimatedBoundsChange() {}

  /// The attributes at which an item's cell appears, by its path after the update. nil: those that it has afterwards.
  open func initialLayoutAttributesForAppearingItem(at itemIndexPath: IndexPath) -> UICollectionViewLayoutAttributes? { nil }

  /// The attributes at which an item's cell disappears, by its path before the update. nil: those that it has.
  open func finalLayoutAttributesForDisappearingItem(at itemIndexPath: IndexPath) -> UICollectionViewLayoutAttributes? { nil }

  /// The attributes at which a supplementary view appears. nil: those that it has afterwards.
  open func initialLayoutAttributesForAppearingSupplementaryElement(
    ofKind elementKind: String, at elementIndexPath: IndexPath
  ) -> UICollectionViewLayoutAttributes? { nil }

  /// The attributes at which a supplementary view disappears. nil: those that it has.
  open func finalLayoutAttributesForDisappearingSupplementaryElement(
    ofKind elementKind: String, at elementIndexPath: IndexPath
  ) -> UICollectionViewLayoutAttributes? { nil }

  /// The attributes at which a decoration view appears. nil: those that it has afterwards.
  open func initialLayoutAttributesForAppearingDecorationElement(
    ofKind elementKind: String, at decorationIndexPath: IndexPath
  ) -> UICollectionViewLayoutAttributes? { nil }

  /// The attributes at which a decoration view disappears. nil: those that it has.
  open func finalLayoutAttributesForDisappearingDecorationElement(
    ofKind elementKind: String, at decorationIndexPath: IndexPath
  ) -> UICollectionViewLayoutAttributes? { nil }

  /// The supplementary views of a kind that an update adds. None; subclasses override it.
  open func indexPathsToInsertForSupplementaryView(ofKind elementKind: String) -> [IndexPath] { [] }

  /// The supplementary views of a kind that an update takes away. None; subclasses override it.
  open func indexPathsToDeleteForSupplementaryView(ofKind elementKind: String) -> [IndexPath] { [] }

  /// The decoration views of a kind that an update adds. None; subclasses override it.
  open func indexPathsToInsertForDecorationView(ofKind elementKind: String) -> [IndexPath] { [] }

  /// The decoration views of a kind that an update takes away. None; subclasses override it.
  open func indexPathsToDeleteForDecorationView(ofKind elementKind: String) -> [IndexPath] { [] }

  // MARK: - Changes of layouts

  /// Tells the layout that another one takes its place. Does nothing; subclasses override it.
  open func prepareForTransition(to newLayout: UICollectionViewLayout) {}

  /// Tells the layout that it takes the place of another one; called before its `prepare()`. Does nothing; subclasses override it.
  open func prepareForTransition(from oldLayout: UICollectionViewLayout) {}

  /// Ends a change of layouts; called on both. Does nothing; subclasses override it.
  open func finalizeLayoutTransition() {}
}

/// The direction in which an interface is read.
public enum UIUserInterfaceLayoutDirection: Int, Sendable {
  /// From left to right.
  case leftToRight
  /// From right to left.
  case rightToLeft
}
