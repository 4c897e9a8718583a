import Foundation
import HeadlessDrawing

/// A rectangle that draws itself and contains subviews, as UIKit's `UIView`, but without a screen: it is only drawn and laid out when the app calls
/// `drawHierarchy(in:afterScreenUpdates:)` or `layoutIfNeeded()`.
///
/// There are no layers, constraints, gestures, animations or windows.
@preconcurrency @MainActor
open class UIView: NSObject {
  /// The values from which `frame`, `bounds`, `center` and `transform` are computed.
  final private(set) var geometry: ViewGeometry
  /// The subviews, the rearmost first.
  public final internal(set) var subviews: [UIView] = []
  /// The view that contains this one; nil for none.
  public final internal(set) weak var superview: UIView?
  /// Whether the next `layoutIfNeeded()` lays out the subviews.
  final var needsLayout = true

  /// A number that the app uses to find the view.
  open var tag = 0
  /// The opacity of the view with its subviews, from 0 to 1.
  open var alpha: CGFloat = 1
  /// Whether the view and its subviews are left out of drawings.
  open var isHidden = false
  /// The app's promise that the view fills its bounds. Has no effect here.
  open var isOpaque = true
  /// Whether the subviews are clipped to the bounds.
  open var clipsToBounds = false
  /// The color that is drawn behind the view's contents; nil for none.
  open var backgroundColor: UIColor?
  /// Whether the view takes touches. Has no effect here.
  open var isUserInteractionEnabled = true
  /// How the content is fitted into the bounds. Only image views use it.
  open var contentMode = ContentMode.scaleToFill
  /// The number of pixels per point: 1, as there is no screen. Layouts round positions to whole pixels.
  open var contentScaleFactor: CGFloat = 1
  /// Whether the subviews are resized by their autoresizing masks when the size of the bounds changes.
  open var autoresizesSubviews = true
  /// How the view changes when its superview's size changes.
  open var autoresizingMask: AutoresizingMask = []

  /// A view with this frame, in the coordinates of its future superview.
  public init(frame: CGRect) {
    geometry = ViewGeometry(frame: frame)
    super.init()
  }

  /// A view with an empty frame.
  public convenience override init() { self.init(frame: .zero) }

  /// A view with an empty frame; archives of views aren't read.
  public required init?(coder: NSCoder) {
    geometry = ViewGeometry()
    super.init()
  }

  // MARK: - Geometry

  /// The rectangle of the view in its superview's coordinates. As in UIKit, undefined if the transform isn't the identity.
  open var frame: CGRect {
    get { geometry.frame }
    set {
      var changed = geometry
      changed.frame = newValue
      change(to: changed)
    }
  }

  /// The rectangle of the view in its own coordinates.
  open var bounds: CGRect {
    get { geometry.bounds }
    set {
      var changed = geometry
      changed.bounds = newValue
      change(to: changed)
    }
  }

  /// The center of the view in its superview's coordinates.
  open var center: CGPoint {
    get { geometry.center }
    set {
      var changed = geometry
      changed.center = newValue
      change(to: changed)
    }
  }

  /// The transform of the view about its center.
  open var transform: CGAffineTransform {
    get { geometry.transform }
    set {
      var changed = geometry
      changed.transform = newValue
      change(to: changed)
    }
  }

  /// Sets a new geometry. Every change of the frame, bounds, center or transform goes through this method.
  func change(to new: ViewGeometry) {
    let old = geometry.bounds.size
    geometry = new
    guard old != new.bounds.size else { return }
    setNeedsLayout()
    if autoresizesSubviews { for view in subviews { view.followSuperview(from: old, to: new.bounds.size) } }
  }

  // MARK: - Layout

  /// Makes the next `layoutIfNeeded()` lay out the subviews.
  open func setNeedsLayout() { needsLayout = true }

  /// Lays out the subviews of this view and its descendants where `setNeedsLayout()` was called. A view that calls it again during its layout is laid
  /// out again, up to 16 times.
  open func layoutIfNeeded() {
    for _ in 0..<16 where needsLayout {
      needsLayout = false
      layoutSubviews()
    }
    for view in subviews { view.layoutIfNeeded() }
  }

  /// Lays out the subviews. Does nothing; subclasses override it.
  open func layoutSubviews() {}

  /// The size that fits this view best. Returns the size of the bounds; subclasses override it.
  open func sizeThatFits(_ size: CGSize) -> CGSize { bounds.size }

  /// Sets the size of the bounds to the result of `sizeThatFits(_:)`.
  open func sizeToFit() { bounds.size = sizeThatFits(bounds.size) }

  // MARK: - Drawing

  /// Draws the view into the current context, in the coordinates of the bounds. Does nothing; subclasses override it.
  open func draw(_ rect: CGRect) {}

  /// Called before the view is drawn, to bring its contents up to date.
  func prepareToDraw() {}

  /// Has no effect, as every drawing draws the whole view.
  open func setNeedsDisplay() {}

  /// Has no effect, as every drawing draws the whole view.
  open func setNeedsDisplay(_ rect: CGRect) {}

  // MARK: - Changes of the hierarchy

  /// Called when a subview has been added. Does nothing; subclasses override it.
  open func didAddSubview(_ subview: UIView) {}

  /// Called before a subview is removed. Does nothing; subclasses override it.
  open func willRemoveSubview(_ subview: UIView) {}

  /// Called before the view's superview changes. Does nothing; subclasses override it.
  open func willMove(toSuperview newSuperview: UIView?) {}

  /// Called after the view's superview has changed. Does nothing; subclasses override it.
  open func didMoveToSuperview() {}
}
