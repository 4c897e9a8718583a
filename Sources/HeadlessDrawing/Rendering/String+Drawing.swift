import Foundation

/// What `boundingRect(with:options:attributes:context:)` does. Only whether lines are broken makes a difference here.
public struct NSStringDrawingOptions: OptionSet, Hashable, Sendable {
  /// The set as bits.
  public let rawValue: Int

  /// The set of these bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Lines are broken at the width; without it the text has the lines of its line ends.
  public static let usesLineFragmentOrigin = NSStringDrawingOptions(rawValue: 1 << 0)
  /// Always so.
  public static let usesFontLeading = NSStringDrawingOptions(rawValue: 1 << 1)
  /// Without a meaning here.
  public static let usesDeviceMetrics = NSStringDrawingOptions(rawValue: 1 << 3)
  /// Without a meaning here.
  public static let truncatesLastVisibleLine = NSStringDrawingOptions(rawValue: 1 << 5)
}

/// Accepted where UIKit's functions take it, and without a meaning here.
open class NSStringDrawingContext: NSObject {}

// Attributes that are read: `.font`, `.foregroundColor`, `.backgroundColor`, `.paragraphStyle`. Drawing is on the thread's current context;
// where there is none, nothing is drawn. Text is drawn from left to right by cairo's simple text functions.
extension StringProtocol {
  /// The size of the text in points, with its lines as they are.
  public func size(withAttributes attributes: [NSAttributedString.Key: Any]? = nil) -> CGSize {
    let attributes = TextAttributes(attributes)
    return TextLayout(String(self), face: attributes.face, paragraph: attributes.paragraph).size
  }

  /// Draws the text with the upper left corner of its first line at a point. Lines aren't broken.
  public func draw(at point: CGPoint, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
    let attributes = TextAttributes(attributes)
    TextLayout(String(self), face: attributes.face, paragraph: attributes.paragraph).draw(at: point, attributes)
  }

  /// Draws the text into a rectangle: lines are broken at its width and limited to its inside.
  public func draw(in rect: CGRect, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
    guard let context = UIGraphicsGetCurrentContext(), rect.isFinite else { return }
    let attributes = TextAttributes(attributes)
    let layout = TextLayout(String(self), face: attributes.face, paragraph: attributes.paragraph, width: rect.width)
    context.withSavedState {
      context.clip(to: rect)
      layout.draw(at: CGPoint(x: rect.minX, y: rect.minY), attributes)
    }
  }

  /// The box of the text, whose lines are broken at the size's width if the options say so.
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
  /// The size of the text in points, with its lines as they are.
  public func size(withAttributes attributes: [NSAttributedString.Key: Any]? = nil) -> CGSize {
    String(describing: self).size(withAttributes: attributes)
  }

  /// Draws the text with the upper left corner of its first line at a point. Lines aren't broken.
  public func draw(at point: CGPoint, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
    String(describing: self).draw(at: point, withAttributes: attributes)
  }

  /// Draws the text into a rectangle: lines are broken at its width and limited to its inside.
  public func draw(in rect: CGRect, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
    String(describing: self).draw(in: rect, withAttributes: attributes)
  }

  /// The box of the text, whose lines are broken at the size's width if the options say so.
  public func boundingRect(
    with size: CGSize, options: NSStringDrawingOptions = [], attributes: [NSAttributedString.Key: Any]? = nil,
    context: NSStringDrawingContext?
  ) -> CGRect {
    String(describing: self).boundingRect(with: size, options: options, attributes: attributes, context: context)
  }
}

extension TextLayout {
  /// Draws the lines on the current context with the layout's upper left corner at a point.
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
