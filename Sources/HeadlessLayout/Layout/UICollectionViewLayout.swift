import Foundation
import HeadlessDrawing

/// The base class of layouts, which determine where the cells, supplementary views and decoration views of a collection view are.
///
/// The collection view calls `prepare()` first, then reads `collectionViewContentSize`, then calls `layoutAttributesForElements(in:)` for the visible
/// bounds, and the methods for single elements as it needs them. Before its bounds change, it calls `shouldInvalidateLayout(forBoundsChange:)`.
@preconcurrency @MainActor
open class UICollectionViewLayout: NSObject {
  /// The collection view that uses the layout.
  public final internal(set) weak var collectionView: UICollectionView?
  /// The classes of decoration views, by kind.
  final var decorationClasses: [String: AnyClass] = [:]

  /// A layout without a collection view.
  public override init() { super.init() }

  /// A layout without a collection view; archives of layouts aren't read.
  public required init?(coder: NSCoder) { super.init() }

  /// The class of the attributes that the layout creates. A subclass with attributes of its own overrides it.
  open class var layoutAttributesClass: AnyClass { UICollectionViewLayoutAttributes.self }

  /// The class of the layout's invalidation contexts. A subclass with contexts of its own overrides it.
  open class var invalidationContextClass: AnyClass { UICollectionViewLayoutInvalidationContext.self }

  // MARK: - The layout's attributes

  /// Prepares the layout; called after each invalidation, before other methods. Does nothing; subclasses override it.
  open func prepare() {}

  /// The size of the whole content. Returns zero; subclasses override it.
  open var collectionViewContentSize: CGSize { .zero }

  /// The attributes of all elements in a rectangle. Returns nil; subclasses override it.
  open func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? { nil }

  /// The attributes of an item's cell. Returns nil; subclasses override it.
  open func layoutAttributesForItem(at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? { nil }

  /// The attributes of a supplementary view. Returns nil; subclasses with such views override it.
  open func layoutAttributesForSupplementaryView(ofKind elementKind: String, at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    nil
  }

  /// The attributes of a decoration view. Returns nil; subclasses with such views override it.
  open func layoutAttributesForDecorationView(ofKind elementKind: String, at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    nil
  }

  /// The content offset at which scrolling should end. Returns the proposed one; subclasses override it, for example to stop at items.
  ///
  /// - Parameter velocity: In points per millisecond. The collection view never calls this method, as there are no gestures here.
  open func targetContentOffset(forProposedContentOffset proposedContentOffset: CGPoint, withScrollingVelocity velocity: CGPoint) -> CGPoint
  {
    targetContentOffset(forProposedContentOffset: proposedContentOffset)
  }

  /// The content offset to use after an update or a change of layouts. Returns the proposed one; subclasses override it.
  open func targetContentOffset(forProposedContentOffset proposedContentOffset: CGPoint) -> CGPoint { proposedContentOffset }

  /// The reading direction that the layout was designed for: from left to right.
  open var developmentLayoutDirection: UIUserInterfaceLayoutDirection { .leftToRight }

  /// Whether the layout is mirrored for right-to-left reading. Returns false; nothing is mirrored here.
  open var flipsHorizontallyInOppositeLayoutDirection: Bool { false }

  // MARK: - Decoration views

  /// Registers the class of decoration views of a kind; nil removes the registration. The collection view creates and reuses the views.
  open func register(_ viewClass: AnyClass?, forDecorationViewOfKind elementKind: String) { decorationClasses[elementKind] = viewClass }

  // MARK: - Invalidation

  /// Invalidates the whole layout: `prepare()` is called at the collection view's next layout.
  open func invalidateLayout() {
    let context = newContext()
    context.invalidateEverything = true
    invalidateLayout(with: context)
  }

  /// Invalidates a part of the layout. Subclasses that cache results override it and call the superclass's method.
  open func invalidateLayout(with context: UICollectionViewLayoutInvalidationContext) { collectionView?.takeInvalidation(context) }

  /// Whether new bounds of the collection view invalidate the layout; asked before they are set. Returns false; subclasses override it.
  open func shouldInvalidateLayout(forBoundsChange newBounds: CGRect) -> Bool { false }

  /// The context of an invalidation by new bounds.
  open func invalidationContext(forBoundsChange newBounds: CGRect) -> UICollectionViewLayoutInvalidationContext { newContext() }

  /// Whether the attributes that a view prefers invalidate the layout. Returns false; subclasses with self-sizing cells override it.
  open func shouldInvalidateLayout(
    forPreferredLayoutAttributes preferredAttributes: UICollectionViewLayoutAttributes,
    withOriginalAttributes originalAttributes: UICollectionViewLayoutAttributes
  ) -> Bool { false }

  /// The context of an invalidation by the attributes that a view prefers. It contains the view's element.
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

  /// A context of the class `invalidationContextClass`.
  final func newContext() -> UICollectionViewLayoutInvalidationContext {
    guard let type = Self.invalidationContextClass as? UICollectionViewLayoutInvalidationContext.Type else {
      report("\(Self.invalidationContextClass) isn't a class of invalidation contexts: UIKit's own is used")
      return UICollectionViewLayoutInvalidationContext()
    }
    return type.make(instance: ())
  }

  /// Attributes of the class `layoutAttributesClass` for an element.
  final func newAttributes(_ element: ElementKey) -> UICollectionViewLayoutAttributes {
    guard let type = Self.layoutAttributesClass as? UICollectionViewLayoutAttributes.Type else {
      report("\(Self.layoutAttributesClass) isn't a class of layout attributes: UIKit's own is used")
      return .make(element)
    }
    return type.make(element)
  }

  // MARK: - Updates (called by the collection view)

  /// Called during an update, after `prepare()`, with the items and sections that are inserted, deleted, moved and reloaded. Does nothing; subclasses
  /// override it.
  open func prepare(forCollectionViewUpdates updateItems: [UICollectionViewUpdateItem]) {}

  /// Called at the end of an update that began with `prepare(forCollectionViewUpdates:)`. Does nothing; subclasses override it.
  open func finalizeCollectionViewUpdates() {}

  /// For animated changes of the bounds. Never called, as there are no animations here.
  open func prepare(forAnimatedBoundsChange oldBounds: CGRect) {}

  /// For the end of animated changes of the bounds. Never called, as there are no animations here.
  open func finalizeAnimatedBoundsChange() {}

  /// The attributes with which an item's cell appears in an update; the index path is that after the update. nil for its attributes after the update.
  open func initialLayoutAttributesForAppearingItem(at itemIndexPath: IndexPath) -> UICollectionViewLayoutAttributes? { nil }

  /// The attributes with which an item's cell disappears in an update; the index path is that before the update. nil for its current attributes.
  open func finalLayoutAttributesForDisappearingItem(at itemIndexPath: IndexPath) -> UICollectionViewLayoutAttributes? { nil }

  /// The attributes with which a supplementary view appears in an update. nil for its attributes after the update.
  open func initialLayoutAttributesForAppearingSupplementaryElement(
    ofKind elementKind: String, at elementIndexPath: IndexPath
  ) -> UICollectionViewLayoutAttributes? { nil }

  /// The attributes with which a supplementary view disappears in an update. nil for its current attributes.
  open func finalLayoutAttributesForDisappearingSupplementaryElement(
    ofKind elementKind: String, at elementIndexPath: IndexPath
  ) -> UICollectionViewLayoutAttributes? { nil }

  /// The attributes with which a decoration view appears in an update. nil for its attributes after the update.
  open func initialLayoutAttributesForAppearingDecorationElement(
    ofKind elementKind: String, at decorationIndexPath: IndexPath
  ) -> UICollectionViewLayoutAttributes? { nil }

  /// The attributes with which a decoration view disappears in an update. nil for its current attributes.
  open func finalLayoutAttributesForDisappearingDecorationElement(
    ofKind elementKind: String, at decorationIndexPath: IndexPath
  ) -> UICollectionViewLayoutAttributes? { nil }

  /// The index paths of supplementary views of a kind that the layout adds in an update. Returns none; subclasses override it.
  open func indexPathsToInsertForSupplementaryView(ofKind elementKind: String) -> [IndexPath] { [] }

  /// The index paths of supplementary views of a kind that the layout removes in an update. Returns none; subclasses override it.
  open func indexPathsToDeleteForSupplementaryView(ofKind elementKind: String) -> [IndexPath] { [] }

  /// The index paths of decoration views of a kind that the layout adds in an update. Returns none; subclasses override it.
  open func indexPathsToInsertForDecorationView(ofKind elementKind: String) -> [IndexPath] { [] }

  /// The index paths of decoration views of a kind that the layout removes in an update. Returns none; subclasses override it.
  open func indexPathsToDeleteForDecorationView(ofKind elementKind: String) -> [IndexPath] { [] }

  // MARK: - Changes of layouts

  /// Called before another layout replaces this one. Does nothing; subclasses override it.
  open func prepareForTransition(to newLayout: UICollectionViewLayout) {}

  /// Called before this layout replaces another one, before its `prepare()`. Does nothing; subclasses override it.
  open func prepareForTransition(from oldLayout: UICollectionViewLayout) {}

  /// Called on both layouts at the end of a change of layouts. Does nothing; subclasses override it.
  open func finalizeLayoutTransition() {}
}

/// The reading direction of a user interface.
public enum UIUserInterfaceLayoutDirection: Int, Sendable {
  /// From left to right.
  case leftToRight
  /// From right to left.
  case rightToLeft
}
