import Foundation
import HeadlessDrawing

/// A view that a collection view reuses: a cell, a supplementary view or a decoration view.
@preconcurrency @MainActor
open class UICollectionReusableView: UIView {
  /// The reuse identifier with which the view was dequeued; nil if it wasn't dequeued.
  public final internal(set) var reuseIdentifier: String?
  /// The kind for which the view was dequeued, under which it is kept for reuse; nil if it wasn't dequeued.
  final var reuseKind: ReuseKind?

  /// A view with this frame. The collection view creates instances of registered classes by this initializer.
  public override init(frame: CGRect) { super.init(frame: frame) }

  /// A view with an empty frame; archives of views aren't read.
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  /// Prepares the view for reuse; called when the view is dequeued again. Does nothing; subclasses override it.
  open func prepareForReuse() {}

  /// Applies the layout's attributes. The collection view has already set the frame, the transform, the opacity and whether the view is hidden;
  /// subclasses override this for attributes of their own.
  open func apply(_ layoutAttributes: UICollectionViewLayoutAttributes) {}

  /// The attributes that the view prefers to those of the layout. Their size is the result of `sizeThatFits(_:)`, which is the layout's size unless a
  /// subclass overrides it, as there are no constraints.
  open func preferredLayoutAttributesFitting(_ layoutAttributes: UICollectionViewLayoutAttributes) -> UICollectionViewLayoutAttributes {
    let size = sizeThatFits(layoutAttributes.size)
    guard size != layoutAttributes.size else { return layoutAttributes }
    let preferred = layoutAttributes.copied()
    preferred.frame = CGRect(origin: layoutAttributes.frame.origin, size: size)
    return preferred
  }

  /// Called before the layout of the collection view changes. Does nothing; subclasses override it.
  open func willTransition(from oldLayout: UICollectionViewLayout, to newLayout: UICollectionViewLayout) {}

  /// Called after the layout of the collection view has changed. Does nothing; subclasses override it.
  open func didTransition(from oldLayout: UICollectionViewLayout, to newLayout: UICollectionViewLayout) {}

  /// Sets the properties of every view from the attributes, then calls `apply(_:)` for the class's own.
  final func take(_ attributes: UICollectionViewLayoutAttributes) {
    change(to: attributes.geometry)
    alpha = attributes.alpha
    isHidden = attributes.isHidden
    apply(attributes)
  }
}

/// The kind under which a reusable view is registered and kept for reuse.
enum ReuseKind: Hashable {
  /// Cells with an identifier.
  case cell(String)
  /// Supplementary views with a kind and an identifier.
  case supplementary(kind: String, String)
  /// Decoration views with a kind.
  case decoration(String)
}
