import Foundation

/// An image of pixels, with the scale at which they make points. Immutable, and usable on any thread.
///
/// PNG is the format that is read and written. An image may be empty: it has no pixels, a size of zero, and draws nothing.
open class UIImage: NSObject, @unchecked Sendable {
  // `@unchecked` because the class is open. Its stored properties are constants of `Sendable` types.

  /// How an image is turned when it is drawn. Images here are always drawn upright.
  public enum Orientation: Int, Sendable {
    /// Upright.
    case up
    /// Turned by 180°.
    case down
    /// Turned by 90° counterclockwise.
    case left
    /// Turned by 90° clockwise.
    case right
    /// Mirrored from left to right.
    case upMirrored
    /// Mirrored from top to bottom.
    case downMirrored
    /// Turned by 90° counterclockwise and mirrored.
    case leftMirrored
    /// Turned by 90° clockwise and mirrored.
    case rightMirrored
  }

  /// The pixels; nil in an empty image.
  public let cgImage: CGImage?
  /// The number of pixels per point.
  public let scale: CGFloat
  /// Always `.up`.
  public let imageOrientation = Orientation.up

  /// An empty image.
  public override init() {
    cgImage = nil
    scale = 1
  }

  /// An image of these pixels, with a scale of 1: one pixel a point.
  public convenience init(cgImage: CGImage) { self.init(cgImage: cgImage, scale: 1, orientation: .up) }

  /// An image of these pixels.
  ///
  /// - Parameters:
  ///   - scale: How many pixels make a point; a scale that isn't positive and finite counts as 1.
  ///   - orientation: Ignored: the image is drawn upright.
  public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
    self.cgImage = cgImage
    self.scale = scale > 0 && scale.isFinite ? scale : 1
  }

  /// The image of a PNG, one pixel a point; nil if the data isn't a PNG, or bitmaps aren't available (``HeadlessBitmaps``).
  public convenience init?(data: Data) { self.init(data: data, scale: 1) }

  /// The image of a PNG, `scale` pixels a point; nil if the data isn't a PNG, or bitmaps aren't available (``HeadlessBitmaps``).
  public convenience init?(data: Data, scale: CGFloat) {
    guard let bitmap = Bitmap(png: data) else { return nil }
    self.init(cgImage: CGImage(bitmap: bitmap), scale: scale, orientation: .up)
  }

  /// The image of a PNG file; nil if it can't be read. A name that ends in `@2x` or `@3x` (before the extension) sets the scale to 2 or 3; it is 1
  /// otherwise.
  public convenience init?(contentsOfFile path: String) {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    let name = (path as NSString).deletingPathExtension
    self.init(data: data, scale: name.hasSuffix("@2x") ? 2 : name.hasSuffix("@3x") ? 3 : 1)
  }

  /// The size in points.
  open var size: CGSize {
    guard let cgImage else { return .zero }
    return CGSize(width: CGFloat(cgImage.width) / scale, height: CGFloat(cgImage.height) / scale)
  }

  /// The image as PNG; nil if it is empty or bitmaps aren't available (``HeadlessBitmaps``).
  open func pngData() -> Data? { cgImage?.bitmap.png }

  /// The color of the pixel at column `x` and row `y`, counted from the upper left corner; nil outside of the image. An addition to Apple's API.
  public func colorOfPixel(x: Int, y: Int) -> UIColor? {
    guard let color = cgImage?.bitmap.components(x: x, y: y) else { return nil }
    return UIColor(red: color.red / 255, green: color.green / 255, blue: color.blue / 255, alpha: color.alpha / 255)
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UIImage else { return false }
    return other === self || (cgImage != nil && other.cgImage == cgImage && other.scale == scale)
  }

  open override var hash: Int { cgImage?.hashValue ?? 0 }
}

/// The image as PNG: the same as `UIImage.pngData()`.
public func UIImagePNGRepresentation(_ image: UIImage) -> Data? { image.pngData() }
