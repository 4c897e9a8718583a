import Foundation

/// A font. Immutable, and usable on any thread.
///
/// The system's font is fontconfig's choice for `sans-serif`. Weights from `semibold` on are drawn bold, lighter ones regular.
open class UIFont: NSObject, @unchecked Sendable {
  // `@unchecked` because the class is open. Its stored properties are constants of `Sendable` types.

  /// How heavy a font is.
  public struct Weight: RawRepresentable, Hashable, Sendable {
    /// The weight from -1 to 1; 0 is regular.
    public let rawValue: CGFloat

    /// A weight by its number from -1 to 1; 0 is regular.
    public init(rawValue: CGFloat) { self.rawValue = rawValue }

    /// A weight by its number from -1 to 1; 0 is regular.
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

  /// A font by the name of its family; nil if the name is empty. Fontconfig substitutes another family if it doesn't know the name. A suffix `-Bold`,
  /// `-Italic` (or `-Oblique`) or `-BoldItalic` of the name selects the style.
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

  /// The system's font in a weight: drawn bold from `semibold` on, otherwise regular.
  open class func systemFont(ofSize fontSize: CGFloat, weight: Weight) -> UIFont {
    UIFont(face: FontFace(family: "sans-serif", isBold: weight.rawValue >= Weight.semibold.rawValue, size: fontSize))
  }

  /// The system's bold font.
  open class func boldSystemFont(ofSize fontSize: CGFloat) -> UIFont { systemFont(ofSize: fontSize, weight: .bold) }

  /// The system's italic font.
  open class func italicSystemFont(ofSize fontSize: CGFloat) -> UIFont {
    UIFont(face: FontFace(family: "sans-serif", isItalic: true, size: fontSize))
  }

  /// The system's monospaced font.
  open class func monospacedSystemFont(ofSize fontSize: CGFloat, weight: Weight) -> UIFont {
    UIFont(face: FontFace(family: "monospace", isBold: weight.rawValue >= Weight.semibold.rawValue, size: fontSize))
  }

  /// The size of the font of labels: 17 points.
  open class var labelFontSize: CGFloat { 17 }
  /// The size of the font of buttons: 18 points.
  open class var buttonFontSize: CGFloat { 18 }
  /// The size of the system's small font: 12 points.
  open class var smallSystemFontSize: CGFloat { 12 }
  /// The size of the system's font: 14 points.
  open class var systemFontSize: CGFloat { 14 }

  /// The same font in another size.
  open func withSize(_ fontSize: CGFloat) -> UIFont {
    var face = face
    face.size = fontSize
    return UIFont(face: face)
  }

  /// The font's size in points.
  open var pointSize: CGFloat { face.size }

  /// The name of the font's family.
  open var familyName: String { face.family }

  /// The name of the family with a suffix for the style, such as `-Bold`.
  open var fontName: String {
    let style = (face.isBold ? "Bold" : "") + (face.isItalic ? "Italic" : "")
    return style.isEmpty ? face.family : "\(face.family)-\(style)"
  }

  /// The height of glyphs above the baseline, in points.
  open var ascender: CGFloat { metrics.ascent }

  /// The depth of glyphs below the baseline, as a negative number of points.
  open var descender: CGFloat { -metrics.descent }

  /// The distance between the baselines of consecutive lines, in points.
  open var lineHeight: CGFloat { metrics.lineHeight }

  /// The line gap in points: ``lineHeight`` minus the heights above and below the baseline.
  open var leading: CGFloat { metrics.lineHeight - metrics.ascent - metrics.descent }

  open override func isEqual(_ object: Any?) -> Bool { (object as? UIFont)?.face == face }

  open override var hash: Int { face.hashValue }
}
