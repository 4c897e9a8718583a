import Foundation

/// Fills a rectangle of the current context with the current fill color, which replaces the pixels there (blend mode `copy`).
public func UIRectFill(_ rect: CGRect) { UIRectFillUsingBlendMode(rect, .copy) }

/// Fills a rectangle of the current context with the current fill color, with this blend mode.
public func UIRectFillUsingBlendMode(_ rect: CGRect, _ blendMode: CGBlendMode) {
  guard let context = UIGraphicsGetCurrentContext() else { return }
  context.withSavedState {
    context.setBlendMode(blendMode)
    context.fill(rect)
  }
}

/// Draws a line of one point's width inside of a rectangle's edges, in the current fill color, which replaces the pixels there (blend mode `copy`).
public func UIRectFrame(_ rect: CGRect) { UIRectFrameUsingBlendMode(rect, .copy) }

/// Draws a line of one point's width inside of a rectangle's edges, in the current fill color and with this blend mode.
public func UIRectFrameUsingBlendMode(_ rect: CGRect, _ blendMode: CGBlendMode) {
  let rect = rect.standardized
  let (width, height) = (min(1, rect.width), min(1, rect.height))
  let inner = max(0, rect.height - 2 * height)
  for edge in [
    CGRect(x: rect.minX, y: rect.minY, width: rect.width, height: height),
    CGRect(x: rect.minX, y: rect.maxY - height, width: rect.width, height: height),
    CGRect(x: rect.minX, y: rect.minY + height, width: width, height: inner),
    CGRect(x: rect.maxX - width, y: rect.minY + height, width: width, height: inner),
  ] { UIRectFillUsingBlendMode(edge, blendMode) }
}

/// Restricts drawing on the current context to the part of its clip inside of a rectangle. A rectangle of negative size changes nothing.
public func UIRectClip(_ rect: CGRect) {
  guard rect.size.width >= 0, rect.size.height >= 0 else { return }
  UIGraphicsGetCurrentContext()?.clip(to: rect)
}
