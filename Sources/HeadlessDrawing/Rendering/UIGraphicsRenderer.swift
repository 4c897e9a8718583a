import Foundation

/// How a renderer draws.
open class UIGraphicsRendererFormat: NSObject, NSCopying {
  /// The area that is drawn, as the renderer was made with it.
  open internal(set) var bounds = CGRect.zero

  public required override init() { super.init() }

  /// A format with the default values.
  open class func `default`() -> Self { Self() }

  /// A format of the same values.
  open func copy(with zone: NSZone? = nil) -> Any {
    let result = Self()
    result.bounds = bounds
    return result
  }
}

/// What a renderer's closure draws on.
open class UIGraphicsRendererContext: NSObject {
  /// The context, which is also the thread's current one.
  public let cgContext: CGContext
  /// The format of the renderer.
  public let format: UIGraphicsRendererFormat

  init(cgContext: CGContext, format: UIGraphicsRendererFormat) {
    self.cgContext = cgContext
    self.format = format
  }

  /// Fills a rectangle with the current fill color.
  open func fill(_ rect: CGRect) { fill(rect, blendMode: .normal) }

  /// Fills a rectangle with the current fill color.
  open func fill(_ rect: CGRect, blendMode: CGBlendMode) {
    cgContext.withSavedState {
      cgContext.setBlendMode(blendMode)
      cgContext.fill(rect)
    }
  }

  /// Draws a line of one point's width inside of a rectangle's edges, in the current stroke color.
  open func stroke(_ rect: CGRect) { stroke(rect, blendMode: .normal) }

  /// Draws a line of one point's width inside of a rectangle's edges, in the current stroke color.
  open func stroke(_ rect: CGRect, blendMode: CGBlendMode) {
    cgContext.withSavedState {
      cgContext.setBlendMode(blendMode)
      cgContext.stroke(rect.insetBy(dx: 0.5, dy: 0.5), width: 1)
    }
  }

  /// Limits what is drawn to the inside of a rectangle as well.
  open func clip(to rect: CGRect) { cgContext.clip(to: rect) }
}

/// What all renderers have.
open class UIGraphicsRenderer: NSObject {
  /// How this renderer draws.
  public let format: UIGraphicsRendererFormat
  /// The area that is drawn, in points.
  let bounds: CGRect

  init(bounds: CGRect, rendererFormat: UIGraphicsRendererFormat) {
    self.bounds = bounds
    format = rendererFormat.copy() as? UIGraphicsRendererFormat ?? rendererFormat
    format.bounds = bounds
  }

  /// Whether the renderer makes images: true.
  open var allowsImageOutput: Bool { true }
}
