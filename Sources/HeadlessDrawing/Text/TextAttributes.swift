import Foundation

extension NSAttributedString.Key {
  /// The key of the font, a `UIFont`. The default is the system's font of 12 points.
  public static let font = NSAttributedString.Key(rawValue: "NSFont")
  /// The key of the text's color, a `UIColor`. The default is black.
  public static let foregroundColor = NSAttributedString.Key(rawValue: "NSColor")
  /// The key of the color behind the lines, a `UIColor`. The default is none.
  public static let backgroundColor = NSAttributedString.Key(rawValue: "NSBackgroundColor")
  /// The key of the alignment and line breaks, an `NSParagraphStyle`.
  public static let paragraphStyle = NSAttributedString.Key(rawValue: "NSParagraphStyle")
}

/// The attributes of a text that affect drawing, read from a dictionary of attributes. Unknown keys are ignored.
struct TextAttributes {
  var face = FontFace(family: "sans-serif", size: 12)
  var color = ColorComponents.black
  var background: ColorComponents?
  var paragraph = ParagraphAttributes()

  init(_ attributes: [NSAttributedString.Key: Any]?) {
    guard let attributes else { return }
    if let font = attributes[.font] as? UIFont { face = font.face }
    if let color = attributes[.foregroundColor] as? UIColor { self.color = color.cgColor.rgba }
    background = (attributes[.backgroundColor] as? UIColor)?.cgColor.rgba
    if let style = attributes[.paragraphStyle] as? NSParagraphStyle { paragraph = style.storage }
  }
}
