import Foundation

/// A context with a bitmap, and the scale with which the bitmap becomes a `UIImage`.
struct ImageCanvas {
  let context: CGContext
  let scale: CGFloat

  /// A canvas for the area `bounds` of the user's coordinates. If no bitmap can be made (a line on standard error says why) or the area has no width
  /// or height, drawing has no effect and the image is empty.
  init(bounds: CGRect, scale: CGFloat, isOpaque: Bool) {
    let scale = scale > 0 && scale.isFinite ? scale : 1
    self.scale = scale
    let (width, height) = (Self.pixels(bounds.width * scale), Self.pixels(bounds.height * scale))
    let surface = width > 0 && height > 0 ? CairoSurface.make(width: width, height: height, isOpaque: isOpaque) : nil
    context = CGContext(
      surface: surface ?? EmptySurface(), size: CGSize(width: width, height: height),
      transform: Self.transform(bounds: bounds, scale: scale))
  }

  /// The transform from the user's coordinates to pixels: it maps the upper left corner of `bounds` to the origin.
  static func transform(bounds: CGRect, scale: CGFloat) -> CGAffineTransform {
    let origin = bounds.origin.isFinite ? bounds.origin : .zero
    return CGAffineTransform(scaleX: scale, y: scale).translatedBy(x: -origin.x, y: -origin.y)
  }

  /// A length rounded up to whole pixels. An excess of up to a millionth, which is the rounding error of points times scale, is ignored.
  private static func pixels(_ length: CGFloat) -> Int {
    guard length > 0 else { return 0 }
    return Int(min((length - 1e-6).rounded(.up), 1_000_000_000))
  }

  /// An image of what has been drawn so far.
  var image: UIImage {
    context.makeImage().map { UIImage(cgImage: $0, scale: scale, orientation: .up) } ?? UIImage()
  }
}

/// Begins an image with a scale of 1 and makes its context current on this thread.
public func UIGraphicsBeginImageContext(_ size: CGSize) { UIGraphicsBeginImageContextWithOptions(size, false, 1) }

/// Begins an image and makes its context current on this thread until `UIGraphicsEndImageContext()`.
///
/// - Parameters:
///   - size: In points.
///   - opaque: Whether the image begins black instead of transparent.
///   - scale: How many pixels make a point. 0 stands for the screen's scale, which is 1 here.
public func UIGraphicsBeginImageContextWithOptions(_ size: CGSize, _ opaque: Bool, _ scale: CGFloat) {
  let canvas = ImageCanvas(bounds: CGRect(origin: .zero, size: size), scale: scale, isOpaque: opaque)
  CurrentContexts.push(canvas.context, imageScale: canvas.scale)
}

/// An image of what has been drawn so far since this thread called `UIGraphicsBeginImageContext`; nil if the current context isn't that of such an
/// image, or no bitmap could be made.
public func UIGraphicsGetImageFromCurrentImageContext() -> UIImage? {
  guard let entry = CurrentContexts.last, let scale = entry.imageScale else { return nil }
  return entry.context.makeImage().map { UIImage(cgImage: $0, scale: scale, orientation: .up) }
}

/// Ends the image that this thread began: the context from before becomes current again.
public func UIGraphicsEndImageContext() {
  if CurrentContexts.last?.imageScale != nil { CurrentContexts.pop() }
}
