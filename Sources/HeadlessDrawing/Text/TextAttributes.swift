import Foundation

extension NSAttributedString.Key {
  /// A `UIFont`. The default is the system's font of 12 points.
  public static let font = NSAttributedString.Key(rawValue: "NSFont")
  /// A `UIColor`. The default is black.
  public static let foregroundColor = NSAttributedString.Key(rawValue: "NSColor")
  /// A `UIColor` behind the lines. The default is none.
  public static let backgroundColor = NSAttributedString.Key(rawValue: "NSBackgroundColor")
  /// An `NSParagraphStyle`.
  public static let paragraphStyle = NSAttributedString.Key(rawValue: "NSParagraphStyle")
}

/// How text is drawn, as a dictionary of attributes says; attributes without a meaning here are ignored.
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
