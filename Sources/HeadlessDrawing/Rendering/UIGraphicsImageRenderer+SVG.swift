import Foundation

extension UIGraphicsImageRenderer {
  /// An SVG document of the drawing that the closure does: an addition to Apple's API.
  ///
  /// SVG needs no system library. Paths are recorded as paths, text as text, images as data URIs; one point is one SVG unit, whatever the format's
  /// scale. Text is laid out by the font metrics of this machine and drawn with the viewer's fonts. Blend modes that CSS doesn't have are recorded by
  /// masks if these can express them, otherwise as `normal`.
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

  /// A width or height of the document: 0 if `length` isn't positive, at most 10⁹.
  private static func length(_ length: CGFloat) -> CGFloat { length > 0 ? min(length, 1_000_000_000) : 0 }
}
