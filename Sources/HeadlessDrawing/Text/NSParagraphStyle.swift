import Foundation

/// How lines of text are aligned between the left and the right edge.
public enum NSTextAlignment: Int, Sendable {
  /// The lines are aligned at the left edge.
  case left
  /// The lines are centered.
  case center
  /// The lines are aligned at the right edge.
  case right
  /// Drawn as `.natural`.
  case justified
  /// Drawn as `.left`, as text has no direction here.
  case natural
}

/// How text is drawn that is wider than its rectangle.
public enum NSLineBreakMode: Int, Sendable {
  /// Lines are broken between words.
  case byWordWrapping
  /// Lines are broken between characters.
  case byCharWrapping
  /// Lines aren't broken; text beyond the edge isn't drawn.
  case byClipping
  /// Drawn as `byTruncatingTail`.
  case byTruncatingHead
  /// The end of the text is replaced by an ellipsis.
  case byTruncatingTail
  /// Drawn as `byTruncatingTail`.
  case byTruncatingMiddle
}

/// The alignment, line spacing and line breaks of a text.
open class NSParagraphStyle: NSObject, NSCopying, NSMutableCopying {
  fileprivate(set) var storage = ParagraphAttributes()

  /// A style with the default values.
  open class var `default`: NSParagraphStyle { NSParagraphStyle() }

  /// How lines are aligned between the left and the right edge.
  open var alignment: NSTextAlignment { storage.alignment }
  /// The space between lines in addition to the font's line height, in points.
  open var lineSpacing: CGFloat { storage.lineSpacing }
  /// How text is drawn that is wider than its rectangle.
  open var lineBreakMode: NSLineBreakMode { storage.lineBreakMode }

  public required override init() { super.init() }

  /// An immutable copy of the style.
  open func copy(with zone: NSZone? = nil) -> Any {
    let result = NSParagraphStyle()
    result.storage = storage
    return result
  }

  /// A mutable copy of the style.
  open func mutableCopy(with zone: NSZone? = nil) -> Any {
    let result = NSMutableParagraphStyle()
    result.storage = storage
    return result
  }
}

/// A paragraph style whose values can be set.
open class NSMutableParagraphStyle: NSParagraphStyle {
  open override var alignment: NSTextAlignment {
    get { storage.alignment }
    set { storage.alignment = newValue }
  }

  open override var lineSpacing: CGFloat {
    get { storage.lineSpacing }
    set { storage.lineSpacing = newValue }
  }

  open override var lineBreakMode: NSLineBreakMode {
    get { storage.lineBreakMode }
    set { storage.lineBreakMode = newValue }
  }
}

/// The values of a paragraph style.
struct ParagraphAttributes {
  var alignment = NSTextAlignment.natural
  var lineSpacing: CGFloat = 0
  var lineBreakMode = NSLineBreakMode.byWordWrapping
}
