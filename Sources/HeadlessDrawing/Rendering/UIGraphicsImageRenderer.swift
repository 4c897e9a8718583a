import Foundation

/// The scale and opacity of the images that a renderer makes.
open class UIGraphicsImageRendererFormat: UIGraphicsRendererFormat {
  /// How many pixels make a point. The default is 1, as there is no screen.
  open var scale: CGFloat = 1
  /// Whether the image begins black instead of transparent. The default is false.
  open var opaque = false

  /// The format for the screen, which has a scale of 1 here.
  open class func preferred() -> Self { Self() }

  open override func copy(with zone: NSZone? = nil) -> Any {
    let result = super.copy(with: zone)
    if let result = result as? UIGraphicsImageRendererFormat {
      result.scale = scale
      result.opaque = opaque
    }
    return result
  }
}

/// The context of an image renderer, which its closure gets.
open class UIGraphicsImageRendererContext: UIGraphicsRendererContext {
  private let scale: CGFloat

  init(cgContext: CGContext, format: UIGraphicsRendererFormat, scale: CGFloat) {
    self.scale = scale
    super.init(cgContext: cgContext, format: format)
  }

  /// An image of what has been drawn so far; an empty image if there is no bitmap, such as while SVG is recorded.
  open var currentImage: UIImage {
    cgContext.makeImage().map { UIImage(cgImage: $0, scale: scale, orientation: .up) } ?? UIImage()
  }
}

/// Makes images, PNG or SVG of what a closure draws.
///
/// ```swift
/// let renderer = UIGraphicsImageRenderer(size: CGSize(width: 100, height: 100))
/// let png = renderer.pngData { _ in
///   UIColor.red.setFill()
///   UIBezierPath(ovalIn: CGRect(x: 10, y: 10, width: 80, height: 80)).fill()
/// }
/// ```
///
/// One pixel makes a point unless the format says otherwise. If bitmaps can't be drawn (``HeadlessBitmaps``), or not of this size, images are empty,
/// PNG has no bytes, and a line on standard error says why; `svgData(actions:)` works everywhere.
open class UIGraphicsImageRenderer: UIGraphicsRenderer {
  /// The closure that draws an image; it gets the renderer's context.
  public typealias DrawingActions = (UIGraphicsImageRendererContext) -> Void

  /// A renderer of images of this size in points.
  public convenience init(size: CGSize) { self.init(bounds: CGRect(origin: .zero, size: size)) }

  /// A renderer of images of this size in points, with the scale and opacity of `format`.
  public convenience init(size: CGSize, format: UIGraphicsImageRendererFormat) {
    self.init(bounds: CGRect(origin: .zero, size: size), format: format)
  }

  /// A renderer of images that show the area `bounds` of the coordinates in which the closure draws.
  public convenience init(bounds: CGRect) { self.init(bounds: bounds, format: .default()) }

  /// A renderer of images that show the area `bounds` of the coordinates in which the closure draws, with the scale and opacity of `format`.
  public init(bounds: CGRect, format: UIGraphicsImageRendererFormat) { super.init(bounds: bounds, rendererFormat: format) }

  private var imageFormat: UIGraphicsImageRendererFormat? { format as? UIGraphicsImageRendererFormat }

  /// An image of what the closure draws. The renderer's context is the thread's current one during the call.
  open func image(actions: DrawingActions) -> UIImage {
    let canvas = ImageCanvas(bounds: bounds, scale: imageFormat?.scale ?? 1, isOpaque: imageFormat?.opaque ?? false)
    draw(on: canvas.context, scale: canvas.scale, actions)
    return canvas.image
  }

  /// A PNG of what the closure draws; empty if the image is empty or bitmaps can't be drawn.
  open func pngData(actions: DrawingActions) -> Data { image(actions: actions).pngData() ?? Data() }

  func draw(on context: CGContext, scale: CGFloat, _ actions: DrawingActions) {
    CurrentContexts.with(context) {
      actions(UIGraphicsImageRendererContext(cgContext: context, format: format, scale: scale))
    }
    context.endLayers()
  }
}
