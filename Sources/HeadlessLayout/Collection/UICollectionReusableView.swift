import Foundation
import HeadlessDrawing

/// A view that a collection view reuses: a cell, a supplementary view or a decoration view.
@preconcurrency @MainActor
open class UICollectionReusableView: UIView {
  /// The identifier by which the view was made; nil if it wasn't dequeued.
  public final internal(set) var reuseIdentifier: String?
  /// The kind of element for which the view was dequeued, which its place among the reusable views follows.
  final var reuseKind: ReuseKind?

  /// A view with this frame. Registered classes are made by this initializer.
  public override init(frame: CGRect) { super.init(frame: frame) }

  /// A view with an empty frame; archives of views aren't read.
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  /// Prepares the view for its next use; called before it is dequeued again. Does nothing; subclasses override it.
  open func prepareForReuse() {}

  /// Takes the attributes of the layout. The collection view has set the frame, the transform, the opacity and whether the view is hidden
  /// already; subclasses override this for attributes of their own.
  open func apply(_ layoutAttributes: UICollectionViewLayoutAttributes) {}

  /// The attributes that the view prefers to those of the layout. Their size is the one of `sizeThatFits(_:)`, which is the layout's
  /// unless a subclass overrides it: there are no constraints to ask.
  open func preferredLayoutAttributesFitting(_ layoutAttributes: UICollectionViewLayoutAttributes) -> UICollectionViewLayoutAttributes {
    let size = sizeThatFits(layoutAttributes.size)
    guard size != layoutAttributes.size else { return layoutAttributes }
    let preferred = layoutAttributes.copied()
    preferred.frame = CGRect(origin: layoutAttributes.frame.origin, size: size)
    return preferred
  }

  /// Tells the view that the layout of its collection view changes. Does nothing.
  open func willTransition(from oldLayout: UICollectionViewLayout, to newLayout: UICollectionViewLayout) {}

  /// Tells the view that the layout of its collection view has changed. Does nothing.
  open func didTransition(from oldLayout: UICollectionViewLayout, to newLayout: UICollectionViewLayout) {}

  /// Sets what every view takes from its attributes, then lets the class take its own.
  final func take(_ attributes: UICollectionViewLayoutAttributes) {
    change(to: attributes.geometry)
    alpha = attributes.alpha
    isHidden = attributes.isHidden
    apply(attributes)
  }
}

/// Which queue a reusable view is kept in.
enum ReuseKind: Hashable {
  /// Cells of an identifier.
  case cell(String)
  /// Supplementary views of a kind and an identifier.
  case supplementary(kind: String, String)
  /// Decoration views of a kind.
  case decoration(String)
}
