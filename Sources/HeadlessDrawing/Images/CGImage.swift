import Foundation

/// A bitmap image. Immutable, and usable on any thread.
public final class CGImage: Hashable, Sendable {
  let bitmap: Bitmap

  init(bitmap: Bitmap) { self.bitmap = bitmap }

  /// The width in pixels.
  public var width: Int { bitmap.width }

  /// The height in pixels.
  public var height: Int { bitmap.height }

  /// The bits of a component: 8.
  public var bitsPerComponent: Int { 8 }

  /// The bits of a pixel: 32.
  public var bitsPerPixel: Int { 32 }

  /// The color space of the pixels: sRGB.
  public var colorSpace: CGColorSpace? { CGColorSpace(.rgb) }

  /// The part of the image inside of a rectangle in pixels, whose edges are rounded outwards; nil if the rectangle lies outside of the image.
  public func cropping(to rect: CGRect) -> CGImage? {
    let part = rect.intersection(CGRect(x: 0, y: 0, width: width, height: height))
    guard part.isFinite, part.width > 0, part.height > 0 else { return nil }
    let cropped = bitmap.cropped(
      x: Int(part.minX.rounded(.down))..<Int(part.maxX.rounded(.up)), y: Int(part.minY.rounded(.down))..<Int(part.maxY.rounded(.up)))
    return cropped.map(CGImage.init)
  }

  public static func == (left: CGImage, right: CGImage) -> Bool { left === right || left.bitmap == right.bitmap }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(width)
    hasher.combine(height)
  }
}
