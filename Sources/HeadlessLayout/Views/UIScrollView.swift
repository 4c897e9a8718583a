import Foundation
import HeadlessDrawing

/// A view that shows a part of a larger content. The origin of its bounds is the point of the content in its upper left corner.
///
/// There are no gestures and no animations: an offset is set at once. Only the collection view has a delegate.
@preconcurrency @MainActor
open class UIScrollView: UIView {
  /// The size of the content.
  open var contentSize = CGSize.zero
  /// Additional distances around the content to which the view can scroll.
  open var contentInset: UIEdgeInsets {
    get { insets }
    set { change(toInsets: newValue) }
  }
  private var insets = UIEdgeInsets.zero
  /// Whether gestures scroll. Has no effect, as there are no gestures here.
  open var isScrollEnabled = true
  /// Whether gestures stop at pages. Has no effect, as there are no gestures here.
  open var isPagingEnabled = false
  /// Whether gestures move content vertically even if it fits. Has no effect, as there are no gestures here.
  open var alwaysBounceVertical = false
  /// Whether gestures move content horizontally even if it fits. Has no effect, as there are no gestures here.
  open var alwaysBounceHorizontal = false
  /// Whether a vertical indicator is shown. Has no effect, as no indicators are drawn here.
  open var showsVerticalScrollIndicator = true
  /// Whether a horizontal indicator is shown. Has no effect, as no indicators are drawn here.
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

  /// The effective insets of the content: the same as `contentInset`, as there are no bars.
  public var adjustedContentInset: UIEdgeInsets { contentInset }

  /// The point of the content in the upper left corner of the view. An offset that isn't finite is ignored.
  open var contentOffset: CGPoint {
    get { bounds.origin }
    set { if newValue.isFinite, newValue != bounds.origin { bounds.origin = newValue } }
  }

  /// Sets the offset at once. `animated` only has the effect that a collection view tells its delegate that the animation has ended.
  open func setContentOffset(_ contentOffset: CGPoint, animated: Bool) { self.contentOffset = contentOffset }

  /// Scrolls only as far as is needed to show a rectangle of the content.
  open func scrollRectToVisible(_ rect: CGRect, animated: Bool) {
    guard rect.isFinite else { return }
    let (size, offset) = (bounds.size, contentOffset)
    let x = min(max(offset.x, rect.maxX - size.width), rect.minX)
    let y = min(max(offset.y, rect.maxY - size.height), rect.minY)
    setContentOffset(reachable(CGPoint(x: x, y: y)), animated: animated)
  }

  /// The nearest offset at which the view shows only the content and its insets.
  final func reachable(_ offset: CGPoint) -> CGPoint {
    let (inset, size) = (contentInset.sanitized, bounds.size)
    let last = CGPoint(x: contentSize.width + inset.right - size.width, y: contentSize.height + inset.bottom - size.height)
    return CGPoint(x: max(min(offset.x, last.x), -inset.left), y: max(min(offset.y, last.y), -inset.top))
  }

  /// Sets new insets. If the view shows the beginning of the content, the offset changes so that it still does.
  func change(toInsets new: UIEdgeInsets) {
    let old = insets
    insets = new
    var offset = contentOffset
    if offset.x == -old.left { offset.x = -new.left }
    if offset.y == -old.top { offset.y = -new.top }
    contentOffset = offset
  }
}

/// The methods by which a scroll view tells about scrolling. UIKit's optional methods have empty default implementations here.
@preconcurrency @MainActor
public protocol UIScrollViewDelegate: NSObjectProtocol {
  /// Called when the offset has changed.
  func scrollViewDidScroll(_ scrollView: UIScrollView)
  /// Called when the offset was set with `animated`; the animation ends at once.
  func scrollViewDidEndScrollingAnimation(_ scrollView: UIScrollView)
}

extension UIScrollViewDelegate {
  public func scrollViewDidScroll(_ scrollView: UIScrollView) {}
  public func scrollViewDidEndScrollingAnimation(_ scrollView: UIScrollView) {}
}
