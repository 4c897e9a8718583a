import Foundation
import HeadlessDrawing

/// A view that draws an image, which its `contentMode` fits into the bounds.
@preconcurrency @MainActor
open class UIImageView: UIView {
  /// The image; nil for none.
  open var image: UIImage?

  /// An image view with this frame.
  public override init(frame: CGRect) { super.init(frame: frame) }

  /// An image view with the size of an image.
  public convenience init(image: UIImage?) {
    self.init(frame: CGRect(origin: .zero, size: image?.size ?? .zero))
    self.image = image
  }

  /// An image view with an empty frame; archives of views aren't read.
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  /// The size of the image.
  open override func sizeThatFits(_ size: CGSize) -> CGSize { image?.size ?? .zero }

  /// Draws the image.
  open override func draw(_ rect: CGRect) {
    guard let image, image.size.width > 0, image.size.height > 0 else { return }
    image.draw(in: contentMode.frame(of: image.size, in: bounds))
  }
}

extension UIView.ContentMode {
  /// The frame that this mode gives to content of a size in a rectangle.
  func frame(of size: CGSize, in rect: CGRect) -> CGRect {
    let fitted = fit(size, into: rect.size)
    let x: CGFloat
    switch self {
    case .left, .topLeft, .bottomLeft: x = rect.minX
    case .right, .topRight, .bottomRight: x = rect.maxX - fitted.width
    case .scaleToFill, .scaleAspectFit, .scaleAspectFill, .redraw, .center, .top, .bottom: x = rect.midX - fitted.width / 2
    }
    let y: CGFloat
    switch self {
    case .top, .topLeft, .topRight: y = rect.minY
    case .bottom, .bottomLeft, .bottomRight: y = rect.maxY - fitted.height
    case .scaleToFill, .scaleAspectFit, .scaleAspectFill, .redraw, .center, .left, .right: y = rect.midY - fitted.height / 2
    }
    return CGRect(x: x, y: y, width: fitted.width, height: fitted.height)
  }

  private func fit(_ size: CGSize, into space: CGSize) -> CGSize {
    let (wide, high) = (space.width / size.width, space.height / size.height)
    let factor: CGFloat
    switch self {
    case .scaleToFill, .redraw: return space
    case .scaleAspectFit: factor = min(wide, high)
    case .scaleAspectFill: factor = max(wide, high)
    case .center, .top, .bottom, .left, .right, .topLeft, .topRight, .bottomLeft, .bottomRight: factor = 1
    }
    return CGSize(width: size.width * factor, height: size.height * factor)
  }
}
