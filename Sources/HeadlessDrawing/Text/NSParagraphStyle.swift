import Foundation

/// Where lines of text are placed between the left and the right edge.
public enum NSTextAlignment: Int, Sendable {
  /// At the left edge.
  case left
  /// In the middle.
  case center
  /// At the right edge.
  case right
  /// Drawn as `.natural`.
  case justified
  /// Drawn as `.left`.
  case natural
}

/// What becomes of text that is wider than its rectangle.
public enum NSLineBreakMode: Int, Sendable {
  /// Lines are broken between words.
  case byWordWrapping
  /// Lines are broken between characters.
  case byCharWrapping
  /// What is beyond the edge isn't drawn.
  case byClipping
  /// Drawn as `byTruncatingTail`.
  case byTruncatingHead
  /// The end is replaced by an ellipsis.
  case byTruncatingTail
  /// Drawn as `byTruncatingTail`.
  case byTruncatingMiddle
}

/// How the lines of a text are placed.
open class NSParagraphStyle: NSObject, NSCopying, NSMutableCopying {
  fileprivate(set) var storage = ParagraphAttributes()

  /// A style with the default values.
  open class var `default`: NSParagraphStyle { NSParagraphStyle() }

  /// Where lines are placed between the edges.
  open var alignment: NSTextAlignment { storage.alignment }
  /// The space between lines beyond the font's, in points.
  open var lineSpacing: CGFloat { storage.lineSpacing }
  /// What becomes of text that is wider than its rectangle.
  open var lineBreakMode: NSLineBreakMode { storage.lineBreakMode }

  public required override init() { super.init() }

  /// A style of the same values that doesn't change.
  open func copy(with zone: NSZone? = nil) -> Any {
    let result = NSParagraphStyle()
    result.storage = storage
    return result
  }

  /// A style of the same values that can be set.
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
