import Foundation

/// How `boundingRect(with:options:attributes:context:)` measures text. Only `usesLineFragmentOrigin` has an effect here.
public struct NSStringDrawingOptions: OptionSet, Hashable, Sendable {
  /// The set as bits.
  public let rawValue: Int

  /// The set of these bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Breaks lines at the given width. Without this option, only line ends in the text begin new lines.
  public static let usesLineFragmentOrigin = NSStringDrawingOptions(rawValue: 1 << 0)
  /// Has no effect: the font's leading is always part of the line height.
  public static let usesFontLeading = NSStringDrawingOptions(rawValue: 1 << 1)
  /// Has no effect here.
  public static let usesDeviceMetrics = NSStringDrawingOptions(rawValue: 1 << 3)
  /// Has no effect here.
  public static let truncatesLastVisibleLine = NSStringDrawingOptions(rawValue: 1 << 5)
}

/// Has no effect here; UIKit's functions take it as a parameter.
open class NSStringDrawingContext: NSObject {}

// Text drawing on the thread's current context; without one, nothing is drawn. The attributes `.font`, `.foregroundColor`, `.backgroundColor` and
// `.paragraphStyle` are read. Cairo's "toy" text API draws the text, from left to right only.
extension StringProtocol {
  /// The size of the text in points. Lines are broken only at line ends in the text.
  public func size(withAttributes attributes: [NSAttributedString.Key: Any]? = nil) -> CGSize {
    let attributes = TextAttributes(attributes)
    return TextLayout(String(self), face: attributes.face, paragraph: attributes.paragraph).size
  }

  /// Draws the text with the upper left corner of its first line at `point`. Lines are broken only at line ends in the text.
  public func draw(at point: CGPoint, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
    let attributes = TextAttributes(attributes)
    TextLayout(String(self), face: attributes.face, paragraph: attributes.paragraph).draw(at: point, attributes)
  }

  /// Draws the text into a rectangle: lines are broken at its width, and text outside of it is clipped.
  public func draw(in rect: CGRect, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
    guard let context = UIGraphicsGetCurrentContext(), rect.isFinite else { return }
    let attributes = TextAttributes(attributes)
    let layout = TextLayout(String(self), face: attributes.face, paragraph: attributes.paragraph, width: rect.width)
    context.withSavedState {
      context.clip(to: rect)
      layout.draw(at: CGPoint(x: rect.minX, y: rect.minY), attributes)
    }
  }

  /// The rectangle that the text takes, with its origin at zero. Lines are broken at `size.width` if the options have `usesLineFragmentOrigin`.
  public func boundingRect(
    with size: CGSize, options: NSStringDrawingOptions = [], attributes: [NSAttributedString.Key: Any]? = nil,
    context: NSStringDrawingContext?
  ) -> CGRect {
    let attributes = TextAttributes(attributes)
    let width = options.contains(.usesLineFragmentOrigin) && size.width > 0 ? size.width : nil
    let layout = TextLayout(String(self), face: attributes.face, paragraph: attributes.paragraph, width: width)
    return CGRect(origin: .zero, size: layout.size)
  }
}

extension NSString {
  /// The size of the text in points. Lines are broken only at line ends in the text.
  public func size(withAttributes attributes: [NSAttributedString.Key: Any]? = nil) -> CGSize {
    String(describing: self).size(withAttributes: attributes)
  }

  /// Draws the text with the upper left corner of its first line at `point`. Lines are broken only at line ends in the text.
  public func draw(at point: CGPoint, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
    String(describing: self).draw(at: point, withAttributes: attributes)
  }

  /// Draws the text into a rectangle: lines are broken at its width, and text outside of it is clipped.
  public func draw(in rect: CGRect, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
    String(describing: self).draw(in: rect, withAttributes: attributes)
  }

  /// The rectangle that the text takes, with its origin at zero. Lines are broken at `size.width` if the options have `usesLineFragmentOrigin`.
  public func boundingRect(
    with size: CGSize, options: NSStringDrawingOptions = [], attributes: [NSAttributedString.Key: Any]? = nil,
    context: NSStringDrawingContext?
  ) -> CGRect {
    String(describing: self).boundingRect(with: size, options: options, attributes: attributes, context: context)
  }
}

extension TextLayout {
  /// Draws the lines on the current context, with the layout's upper left corner at `point`.
  fileprivate func draw(at point: CGPoint, _ attributes: TextAttributes) {
    guard let context = UIGraphicsGetCurrentContext(), point.isFinite else { return }
    let placed = lines.map { line in
      var line = line
      line.origin = CGPoint(x: line.origin.x + point.x, y: line.origin.y + point.y)
      return line
    }
    if let background = attributes.background {
      let metrics = face.metrics
      context.withSavedState {
        context.state.fillColor = background
        context.fill(
          placed.map { CGRect(x: $0.origin.x, y: $0.origin.y - metrics.ascent, width: $0.width, height: metrics.lineHeight) })
      }
    }
    context.draw(placed, face: face, color: attributes.color)
  }
}
