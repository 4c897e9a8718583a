import Foundation

/// A font. Immutable, and usable on any thread.
///
/// The system's font is what fontconfig has for `sans-serif`. Of the weights, those from `semibold` on are drawn bold and the others
/// regular.
open class UIFont: NSObject, @unchecked Sendable {
  // Unchecked because the class is open; its stored properties are constants of types that are Sendable.

  /// How heavy a font is.
  public struct Weight: RawRepresentable, Hashable, Sendable {
    /// From -1 to 1; 0 is regular.
    public let rawValue: CGFloat

    /// The weight of a number from -1 to 1.
    public init(rawValue: CGFloat) { self.rawValue = rawValue }

    /// The weight of a number from -1 to 1.
    public init(_ rawValue: CGFloat) { self.rawValue = rawValue }

    /// Drawn regular.
    public static let ultraLight = Weight(-0.8)
    /// Drawn regular.
    public static let thin = Weight(-0.6)
    /// Drawn regular.
    public static let light = Weight(-0.4)
    /// The normal weight.
    public static let regular = Weight(0)
    /// Drawn regular.
    public static let medium = Weight(0.23)
    /// Drawn bold.
    public static let semibold = Weight(0.3)
    /// Bold.
    public static let bold = Weight(0.4)
    /// Drawn bold.
    public static let heavy = Weight(0.56)
    /// Drawn bold.
    public static let black = Weight(0.62)
  }

  let face: FontFace
  private let metrics: FontMetrics

  init(face: FontFace) {
    self.face = face
    metrics = face.metrics
  }

  /// The font of a family that fontconfig knows; what it has instead if it doesn't know the name. `-Bold`, `-Italic` (`-Oblique`) and
  /// `-BoldItalic` at the name's end choose the style.
  public convenience init?(name fontName: String, size fontSize: CGFloat) {
    let parts = fontName.split(separator: "-", maxSplits: 1)
    guard let family = parts.first else { return nil }
    let style = parts.count > 1 ? parts[1].lowercased() : ""
    self.init(
      face: FontFace(
        family: String(family), isBold: style.contains("bold"), isItalic: style.contains("italic") || style.contains("oblique"),
        size: fontSize))
  }

  /// The system's font.
  open class func systemFont(ofSize fontSize: CGFloat) -> UIFont { systemFont(ofSize: fontSize, weight: .regular) }

  /// The system's font of a weight.
  open class func systemFont(ofSize fontSize: CGFloat, weight: Weight) -> UIFont {
    UIFont(face: FontFace(family: "sans-serif", isBold: weight.rawValue >= Weight.semibold.rawValue, size: fontSize))
  }

  /// The system's bold font.
  open class func boldSystemFont(ofSize fontSize: CGFloat) -> UIFont { systemFont(ofSize: fontSize, weight: .bold) }

  /// The system's italic font.
  open class func italicSystemFont(ofSize fontSize: CGFloat) -> UIFont {
    UIFont(face: FontFace(family: "sans-serif", isItalic: true, size: fontSize))
  }

  /// The system's font whose glyphs are equally wide.
  open class func monospacedSystemFont(ofSize fontSize: CGFloat, weight: Weight) -> UIFont {
    UIFont(face: FontFace(family: "monospace", isBold: weight.rawValue >= Weight.semibold.rawValue, size: fontSize))
  }

  /// 17 points.
  open class var labelFontSize: CGFloat { 17 }
  /// 18 points.
  open class var buttonFontSize: CGFloat { 18 }
  /// 12 points.
  open class var smallSystemFontSize: CGFloat { 12 }
  /// 14 points.
  open class var systemFontSize: CGFloat { 14 }

  /// The same font in another size.
  open func withSize(_ fontSize: CGFloat) -> UIFont {
    var face = face
    face.size = fontSize
    return UIFont(face: face)
  }

  /// The size in points.
  open var pointSize: CGFloat { face.size }

  /// The family's name.
  open var familyName: String { face.family }

  /// The family's name with the style.
  open var fontName: String {
    let style = (face.isBold ? "Bold" : "") + (face.isItalic ? "Italic" : "")
    return style.isEmpty ? face.family : "\(face.family)-\(style)"
  }

  /// How far glyphs reach above the base line, in points.
  open var ascender: CGFloat { metrics.ascent }

  /// How far glyphs reach below the base line, as a negative number of points.
  open var descender: CGFloat { -metrics.descent }

  /// The distance of lines, in points.
  open var lineHeight: CGFloat { metrics.lineHeight }

  /// The space between lines that ``lineHeight`` has beyond ascender and descender.
  open var leading: CGFloat { metrics.lineHeight - metrics.ascent - metrics.descent }

  open override func isEqual(_ object: Any?) -> Bool { (object as? UIFont)?.face == face }

  open override var hash: Int { face.hashValue }
}
