import Foundation
import HeadlessDrawing

/// A rectangle that draws itself and contains further ones, as UIKit's `UIView`, without a screen: nothing is drawn, and nothing is laid
/// out, before the app asks for it by `drawHierarchy(in:afterScreenUpdates:)` or `layoutIfNeeded()`.
///
/// There are no layers, constraints, gestures, animations or windows.
@preconcurrency @MainActor
open class UIView: NSObject {
  /// The geometry behind `frame`, `bounds`, `center` and `transform`.
  final private(set) var geometry: ViewGeometry
  /// The subviews, the rearmost first.
  public final internal(set) var subviews: [UIView] = []
  /// The view that contains this one.
  public final internal(set) weak var superview: UIView?
  /// Whether the subviews are to be laid out by the next `layoutIfNeeded()`.
  final var needsLayout = true

  /// A number of the app's choice.
  open var tag = 0
  /// The opacity of the view with its subviews, from 0 to 1.
  open var alpha: CGFloat = 1
  /// Whether the view and its subviews are left out of drawings.
  open var isHidden = false
  /// Whether the app promises that the view fills its bounds; nothing follows from it here.
  open var isOpaque = true
  /// Whether the subviews are clipped to the bounds.
  open var clipsToBounds = false
  /// The color behind what the view draws; nil for none.
  open var backgroundColor: UIColor?
  /// Whether the view takes touches; nothing follows from it here.
  open var isUserInteractionEnabled = true
  /// How the content is fitted into the bounds; only image views obey it.
  open var contentMode = ContentMode.scaleToFill
  /// The pixels of a point. 1, since there is no screen; layouts round positions to whole pixels.
  open var contentScaleFactor: CGFloat = 1
  /// Whether a change of the bounds' size resizes the subviews by their masks.
  open var autoresizesSubviews = true
  /// How the view follows a change of its superview's size.
  open var autoresizingMask: AutoresizingMask = []

  /// A view with this frame, in the coordinates of the superview to be.
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

  /// The rectangle of the view in its superview's coordinates. Undefined where the transform isn't the identity, as in UIKit.
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

  /// The middle of the view in its superview's coordinates.
  open var center: CGPoint {
    get { geometry.center }
    set {
      var changed = geometry
      changed.center = newValue
      change(to: changed)
    }
  }

  /// The transform about the center.
  open var transform: CGAffineTransform {
    get { geometry.transform }
    set {
      var changed = geometry
      changed.transform = newValue
      change(to: changed)
    }
  }

  /// Takes a new geometry; every change of frame, bounds, center and transform comes here.
  func change(to new: ViewGeometry) {
    let old = geometry.bounds.size
    geometry = new
    guard old != new.bounds.size else { return }
    setNeedsLayout()
    if autoresizesSubviews { for view in subviews { view.followSuperview(from: old, to: new.bounds.size) } }
  }

  // MARK: - Layout

  /// Says that the subviews are to be laid out by the next `layoutIfNeeded()`.
  open func setNeedsLayout() { needsLayout = true }

  /// Lays out the subviews of this view and of its descendants, where that has been asked for. A view that asks again while it is laid out
  /// is laid out again, up to 16 times.
  open func layoutIfNeeded() {
    for _ in 0..<16 where needsLayout {
      needsLayout = false
      layoutSubviews()
    }
    for view in subviews { view.layoutIfNeeded() }
  }

  /// Lays out the subviews. Does nothing; subclasses override it.
  open func layoutSubviews() {}

  /// The size that fits this view best. The size of the bounds, unless a subclass overrides it.
  open func sizeThatFits(_ size: CGSize) -> CGSize { bounds.size }

  /// Sets the size of the bounds to the one that fits best.
  open func sizeToFit() { bounds.size = sizeThatFits(bounds.size) }

  // MARK: - Drawing

  /// Draws the view into the current context, in the coordinates of the bounds. Does nothing; subclasses override it.
  open func draw(_ rect: CGRect) {}

  /// Brings what the view shows up to date; called before it is drawn.
  func prepareToDraw() {}

  /// Nothing: every drawing is made anew.
  open func setNeedsDisplay() {}

  /// Nothing: every drawing is made anew.
  open func setNeedsDisplay(_ rect: CGRect) {}

  // MARK: - Changes of the hierarchy

  /// Tells the view that it got a subview. Does nothing; subclasses override it.
  open func didAddSubview(_ subview: UIView) {}

  /// Tells the view that it is about to lose a subview. Does nothing; subclasses override it.
  open func willRemoveSubview(_ subview: UIView) {}

  /// Tells the view that its superview is about to change. Does nothing; subclasses override it.
  open func willMove(toSuperview newSuperview: UIView?) {}

  /// Tells the view that its superview has changed. Does nothing; subclasses override it.
  open func didMoveToSuperview() {}
}
