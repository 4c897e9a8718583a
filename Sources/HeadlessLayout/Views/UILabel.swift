import Foundation
import HeadlessDrawing

/// A view that draws a text, vertically centered.
@preconcurrency @MainActor
open class UILabel: UIView {
  /// The text; nil for none.
  open var text: String?
  /// The font. The default is the system's font of 17 points.
  open var font: UIFont = .systemFont(ofSize: 17)
  /// The color of the text. The default is black.
  open var textColor: UIColor = .black
  /// How lines are aligned between the left and the right edge.
  open var textAlignment = NSTextAlignment.natural
  /// The maximum number of lines; 0 for any number. The default is 1, with which the text isn't broken.
  open var numberOfLines = 1
  /// How lines are broken or truncated.
  open var lineBreakMode = NSLineBreakMode.byTruncatingTail

  /// A label with this frame. It doesn't take touches.
  public override init(frame: CGRect) {
    super.init(frame: frame)
    isUserInteractionEnabled = false
    isOpaque = false
  }

  /// A label with an empty frame; archives of views aren't read.
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  /// The size of the text, rounded up to whole points. If the label may have several lines, they are broken at the width of `size`.
  open override func sizeThatFits(_ size: CGSize) -> CGSize {
    guard let text, !text.isEmpty else { return .zero }
    let fitting = textSize(text, width: size.width)
    return CGSize(width: fitting.width.rounded(.up), height: fitting.height.rounded(.up))
  }

  /// The natural size of the label, with unlimited width.
  open var intrinsicContentSize: CGSize { sizeThatFits(CGSize(width: CGFloat.greatestFiniteMagnitude, height: .greatestFiniteMagnitude)) }

  /// Draws the text.
  open override func draw(_ rect: CGRect) { drawText(in: rect) }

  /// Draws the text into a rectangle.
  open func drawText(in rect: CGRect) {
    guard let text, !text.isEmpty, rect.isFinite else { return }
    let height = textSize(text, width: rect.width).height
    let top = rect.minY + max((rect.height - height) / 2, 0)
    text.draw(in: CGRect(x: rect.minX, y: top, width: rect.width, height: min(height, rect.height)), withAttributes: attributes)
  }

  private func textSize(_ text: String, width: CGFloat) -> CGSize {
    guard numberOfLines != 1, width.isFinite, width > 0, width < 1e6 else { return text.size(withAttributes: attributes) }
    let options: NSStringDrawingOptions = .usesLineFragmentOrigin
    let size = text.boundingRect(
      with: CGSize(width: width, height: .greatestFiniteMagnitude), options: options, attributes: attributes, context: nil
    ).size
    guard numberOfLines > 1 else { return size }
    return CGSize(width: size.width, height: min(size.height, CGFloat(numberOfLines) * font.lineHeight))
  }

  private var attributes: [NSAttributedString.Key: Any] {
    let paragraph = NSMutableParagraphStyle()
    paragraph.alignment = textAlignment
    paragraph.lineBreakMode = numberOfLines == 1 ? lineBreakMode : .byWordWrapping
    return [.font: font, .foregroundColor: textColor, .paragraphStyle: paragraph]
  }
}
