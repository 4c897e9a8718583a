import Foundation
import HeadlessDrawing

/// A view whose content is larger than itself: its bounds' origin is the point of the content at the upper left.
///
/// There are no gestures and no animations: an offset is set at once. The delegate is the collection view's own property.
@preconcurrency @MainActor
open class UIScrollView: UIView {
  /// The size of the content.
  open var contentSize = CGSize.zero
  /// Distances around the content that can be scrolled to as well.
  open var contentInset: UIEdgeInsets {
    get { insets }
    set { change(toInsets: newValue) }
  }
  private var insets = UIEdgeInsets.zero
  /// Whether gestures scroll; nothing follows from it here.
  open var isScrollEnabled = true
  /// Whether gestures stop at pages; nothing follows from it here.
  open var isPagingEnabled = false
  /// Whether gestures move content that fits; nothing follows from it here.
  open var alwaysBounceVertical = false
  /// Whether gestures move content that fits; nothing follows from it here.
  open var alwaysBounceHorizontal = false
  /// Whether an indicator is shown; nothing follows from it here.
  open var showsVerticalScrollIndicator = true
  /// Whether an indicator is shown; nothing follows from it here.
  open var showsHorizontalScrollIndicator = true

  /// A scroll view with this frame. It clips its content.
  public override init(frame: CGRect) {
    super.init(frame: frame)
    clipsToBounds = true
  }

  /// A scroll view with an empty frame; archives of views aren't read.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    clipsToBounds = true
  }

  /// The insets of the content: those of `contentInset`, since there are no bars.
  public var adjustedContentInset: UIEdgeInsets { contentInset }

  /// The point of the content at the upper left of the view. An offset that isn't finite is ignored.
  open var contentOffset: CGPoint {
    get { bounds.origin }
    set { if newValue.isFinite, newValue != bounds.origin { bounds.origin = newValue } }
  }

  /// Sets the offset. `animated` changes nothing but that the delegate is told of the animation's end.
  open func setContentOffset(_ contentOffset: CGPoint, animated: Bool) { self.contentOffset = contentOffset }

  /// Scrolls by as little as shows a rectangle of the content.
  open func scrollRectToVisible(_ rect: CGRect, animated: Bool) {
    guard rect.isFinite else { return }
    let (size, offset) = (bounds.size, contentOffset)
    let x = min(max(offset.x, rect.maxX - size.width), rect.minX)
    let y = min(max(offset.y, rect.maxY - size.height), rect.minY)
    setContentOffset(reachable(CGPoint(x: x, y: y)), animated: animated)
  }

  /// The nearest offset at which the view shows nothing beside the content and its insets.
  final func reachable(_ offset: CGPoint) -> CGPoint {
    let (inset, size) = (contentInset.sanitized, bounds.size)
    let last = CGPoint(x: contentSize.width + inset.right - size.width, y: contentSize.height + inset.bottom - size.height)
    return CGPoint(x: max(min(offset.x, last.x), -inset.left), y: max(min(offset.y, last.y), -inset.top))
  }

  /// Takes new insets. A view that shows the content's beginning continues to do so.
  func change(toInsets new: UIEdgeInsets) {
    let old = insets
    insets = new
    var offset = contentOffset
    if offset.x == -old.left { offset.x = -new.left }
    if offset.y == -old.top { offset.y = -new.top }
    contentOffset = offset
  }
}

/// What a scroll view tells. UIKit's optional methods have empty default implementations here.
@preconcurrency @MainActor
public protocol UIScrollViewDelegate: NSObjectProtocol {
  /// The offset has changed.
  func scrollViewDidScroll(_ scrollView: UIScrollView)
  /// The offset was set as an animation, which is over at once.
  func scrollViewDidEndScrollingAnimation(_ scrollView: UIScrollView)
}

extension UIScrollViewDelegate {
  public func scrollViewDidScroll(_ scrollView: UIScrollView) {}
  public func scrollViewDidEndScrollingAnimation(_ scrollView: UIScrollView) {}
}
