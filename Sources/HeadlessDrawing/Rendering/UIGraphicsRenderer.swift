import Foundation

/// The settings of a renderer that all kinds of renderers have.
open class UIGraphicsRendererFormat: NSObject, NSCopying {
  /// The area of the user's coordinates that is drawn, as it was passed to the renderer's initializer.
  open internal(set) var bounds = CGRect.zero

  public required override init() { super.init() }

  /// A format with the default values.
  open class func `default`() -> Self { Self() }

  /// A copy of the format, with the same values.
  open func copy(with zone: NSZone? = nil) -> Any {
    let result = Self()
    result.bounds = bounds
    return result
  }
}

/// The context that a renderer's closure gets.
open class UIGraphicsRendererContext: NSObject {
  /// The Core Graphics context to draw on. It is also the thread's current context while the closure runs.
  public let cgContext: CGContext
  /// The format of the renderer.
  public let format: UIGraphicsRendererFormat

  init(cgContext: CGContext, format: UIGraphicsRendererFormat) {
    self.cgContext = cgContext
    self.format = format
  }

  /// Fills a rectangle with the current fill color.
  open func fill(_ rect: CGRect) { fill(rect, blendMode: .normal) }

  /// Fills a rectangle with the current fill color, with this blend mode.
  open func fill(_ rect: CGRect, blendMode: CGBlendMode) {
    cgContext.withSavedState {
      cgContext.setBlendMode(blendMode)
      cgContext.fill(rect)
    }
  }

  /// Draws a line of one point's width inside of a rectangle's edges, in the current stroke color.
  open func stroke(_ rect: CGRect) { stroke(rect, blendMode: .normal) }

  /// Draws a line of one point's width inside of a rectangle's edges, in the current stroke color and with this blend mode.
  open func stroke(_ rect: CGRect, blendMode: CGBlendMode) {
    cgContext.withSavedState {
      cgContext.setBlendMode(blendMode)
      cgContext.stroke(rect.insetBy(dx: 0.5, dy: 0.5), width: 1)
    }
  }

  /// Restricts drawing to the part of the clip that lies inside of a rectangle.
  open func clip(to rect: CGRect) { cgContext.clip(to: rect) }
}

/// The base class of renderers.
open class UIGraphicsRenderer: NSObject {
  /// The settings of this renderer.
  public let format: UIGraphicsRendererFormat
  /// The area that is drawn, in points.
  let bounds: CGRect

  init(bounds: CGRect, rendererFormat: UIGraphicsRendererFormat) {
    self.bounds = bounds
    format = rendererFormat.copy() as? UIGraphicsRendererFormat ?? rendererFormat
    format.bounds = bounds
  }

  /// Whether the renderer makes images; always true.
  open var allowsImageOutput: Bool { true }
}
