import Foundation

extension CGContext {
  /// Draws an image so that it fills a rectangle.
  ///
  /// As on Apple's platforms, the image is upside down where y grows downwards; `UIImage.draw(in:)` draws it upright.
  public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {
    if byTiling { return drawTiles(image, tile: rect) }
    withSavedState {
      translateBy(x: 0, y: rect.minY + rect.maxY)
      scaleBy(x: 1, y: -1)
      drawUpright(image, in: rect)
    }
  }

  /// Draws an image so that it fills a rectangle, the image's first row at the rectangle's smallest y.
  func drawUpright(_ image: CGImage, in rect: CGRect) {
    guard rect.isFinite, rect.width > 0, rect.height > 0, ctm.inverse != nil else { return }
    surface.draw(
      PlacedImage(image: image, rect: rect.standardized, transform: ctm, alpha: state.alpha, blendMode: state.blendMode))
  }

  /// Covers the clip with copies of an image, each of `tile`'s size and one of them at `tile`. Draws nothing if that took more than 10,000 copies.
  private func drawTiles(_ image: CGImage, tile: CGRect) {
    let area = boundingBoxOfClipPath
    guard tile.isFinite, area.isFinite, tile.width > 0, tile.height > 0 else { return }
    let columns = (((area.minX - tile.minX) / tile.width).rounded(.down), ((area.maxX - tile.minX) / tile.width).rounded(.up))
    let rows = (((area.minY - tile.minY) / tile.height).rounded(.down), ((area.maxY - tile.minY) / tile.height).rounded(.up))
    guard (columns.1 - columns.0) * (rows.1 - rows.0) <= 10_000 else { return }
    for column in stride(from: columns.0, to: columns.1, by: 1) {
      for row in stride(from: rows.0, to: rows.1, by: 1) {
        draw(image, in: tile.offsetBy(dx: column * tile.width, dy: row * tile.height))
      }
    }
  }

  /// Draws lines of text with this font and color; the lines' origins are in the user's coordinates.
  func draw(_ lines: [TextLine], face: FontFace, color: ColorComponents) {
    let lines = lines.filter { !$0.text.isEmpty && $0.origin.isFinite }
    guard !lines.isEmpty, face.drawableSize > 0, ctm.inverse != nil else { return }
    let paint = Paint(color: color.multiplyingAlpha(by: state.alpha), blendMode: state.blendMode, antialiases: state.antialiases)
    surface.draw(PlacedText(lines: lines, face: face, transform: ctm, paint: paint))
  }
}

// MARK: - Gradients

extension CGContext {
  /// Draws a gradient along the line from `start` to `end`, over the whole clip.
  ///
  /// - Parameter options: Whether the area before the start and the area after the end are painted as well.
  public func drawLinearGradient(_ gradient: CGGradient, start: CGPoint, end: CGPoint, options: CGGradientDrawingOptions) {
    guard start.isFinite, end.isFinite, start != end else { return }
    draw(gradient, shape: .linear(from: start, to: end), options: options)
  }

  /// Draws a gradient from one circle to another, over the whole clip.
  ///
  /// - Parameter options: Whether the area inside of the first circle and the area outside of the second are painted as well.
  public func drawRadialGradient(
    _ gradient: CGGradient, startCenter: CGPoint, startRadius: CGFloat, endCenter: CGPoint, endRadius: CGFloat,
    options: CGGradientDrawingOptions
  ) {
    guard startCenter.isFinite, endCenter.isFinite, startRadius.isFinite, endRadius.isFinite, startRadius >= 0, endRadius >= 0,
      startCenter != endCenter || startRadius != endRadius
    else { return }
    let shape = PlacedGradient.Shape.radial(from: startCenter, fromRadius: startRadius, to: endCenter, toRadius: endRadius)
    draw(gradient, shape: shape, options: options)
  }

  private func draw(_ gradient: CGGradient, shape: PlacedGradient.Shape, options: CGGradientDrawingOptions) {
    guard ctm.inverse != nil, let first = gradient.stops.first, let last = gradient.stops.last else { return }
    var stops = gradient.stops
    // Stops at 0 and 1 extend the outermost colors to the gradient's ends, and surfaces continue these beyond the ends. Where the options exclude
    // that, a transparent stop at the same position ends the color there.
    stops.insert(GradientStop(location: 0, color: first.color), at: 0)
    stops.append(GradientStop(location: 1, color: last.color))
    if !options.contains(.drawsBeforeStartLocation) {
      stops.insert(GradientStop(location: 0, color: first.color.multiplyingAlpha(by: 0)), at: 0)
    }
    if !options.contains(.drawsAfterEndLocation) {
      stops.append(GradientStop(location: 1, color: last.color.multiplyingAlpha(by: 0)))
    }
    let visible = stops.map { GradientStop(location: $0.location, color: $0.color.multiplyingAlpha(by: state.alpha)) }
    surface.draw(PlacedGradient(shape: shape, stops: visible, transform: ctm, blendMode: state.blendMode))
  }
}
