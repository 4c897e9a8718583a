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
    // Foundation's `intersection(_:)` ends the process if a coordinate is NaN; the comparisons below are false then.
    let (left, right) = (max(rect.minX, 0), min(rect.maxX, CGFloat(width)))
    let (top, bottom) = (max(rect.minY, 0), min(rect.maxY, CGFloat(height)))
    guard left < right, top < bottom else { return nil }
    let cropped = bitmap.cropped(
      x: Int(left.rounded(.down))..<Int(right.rounded(.up)), y: Int(top.rounded(.down))..<Int(bottom.rounded(.up)))
    return cropped.map(CGImage.init)
  }

  public static func == (left: CGImage, right: CGImage) -> Bool { left === right || left.bitmap == right.bitmap }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(width)
    hasher.combine(height)
  }
}
