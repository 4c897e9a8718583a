import Foundation

extension UIGraphicsImageRenderer {
  /// The SVG of what the closure draws: an addition to Apple's API.
  ///
  /// It needs no library of the system. Paths are recorded as paths, text as text, images as data URIs; a point is a unit, whatever the
  /// format's scale. Text is placed by the measures of the fonts here and drawn with those of the viewer. Of the blend modes, those that
  /// CSS doesn't have are recorded where masks can express them, and else as `normal`.
  public func svgData(actions: DrawingActions) -> Data {
    let size = CGSize(width: Self.length(bounds.width), height: Self.length(bounds.height))
    let surface = SVGSurface(size: size)
    let context = CGContext(surface: surface, size: size, transform: ImageCanvas.transform(bounds: bounds, scale: 1))
    if (format as? UIGraphicsImageRendererFormat)?.opaque == true {
      surface.fill(CGPath(rect: CGRect(origin: .zero, size: size), transform: nil).data, rule: .winding, paint: Paint(color: .black))
    }
    draw(on: context, scale: 1, actions)
    return surface.document
  }

  /// A length that a document can have.
  private static func length(_ length: CGFloat) -> CGFloat { length > 0 ? min(length, 1_000_000_000) : 0 }
}
