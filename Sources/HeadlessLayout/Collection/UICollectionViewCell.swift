import Foundation
import HeadlessDrawing

/// The view that shows an item. Its content is added to `contentView`.
@preconcurrency @MainActor
open class UICollectionViewCell: UICollectionReusableView {
  /// The view for the cell's content, which has the cell's size.
  public final let contentView: UIView
  private var background: UIView?
  private var selectedBackground: UIView?

  /// Whether the item is selected.
  open var isSelected = false
  /// Whether the item is highlighted. Only the app sets it, as there are no touches.
  open var isHighlighted = false

  /// A cell with this frame.
  public override init(frame: CGRect) {
    contentView = UIView(frame: CGRect(origin: .zero, size: frame.size))
    super.init(frame: frame)
    addSubview(contentView)
  }

  /// A cell with an empty frame; archives of views aren't read.
  public required init?(coder: NSCoder) {
    contentView = UIView()
    super.init(coder: coder)
    addSubview(contentView)
  }

  /// The view behind the content, which has the cell's size; nil for none.
  open var backgroundView: UIView? {
    get { background }
    set {
      background?.removeFromSuperview()
      background = newValue
      placeBackgrounds()
    }
  }

  /// The view in front of the background while the cell is selected or highlighted, which has the cell's size; nil for none.
  open var selectedBackgroundView: UIView? {
    get { selectedBackground }
    set {
      selectedBackground?.removeFromSuperview()
      selectedBackground = newValue
      placeBackgrounds()
    }
  }

  /// Gives the content view and the backgrounds the cell's size.
  open override func layoutSubviews() {
    super.layoutSubviews()
    placeBackgrounds()
    fill(contentView)
  }

  override func change(to new: ViewGeometry) {
    super.change(to: new)
    fill(contentView)
  }

  /// Updates the backgrounds, as `isSelected` may have been set after the last layout.
  override func prepareToDraw() { placeBackgrounds() }

  private func placeBackgrounds() {
    for view in [selectedBackground, background].compactMap({ $0 }) {
      if view.superview === self { sendSubviewToBack(view) } else { insertSubview(view, at: 0) }
      fill(view)
    }
    selectedBackground?.isHidden = !isSelected && !isHighlighted
  }

  private func fill(_ view: UIView) {
    guard view.frame != bounds else { return }
    view.frame = bounds
  }
}
