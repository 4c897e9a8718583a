import Foundation

extension CGContext {
  /// Fills the current path and empties it.
  public func fillPath(using rule: CGPathFillRule = .winding) { drawPath(using: rule == .evenOdd ? .eoFill : .fill) }

  /// Draws a line along the current path and empties the path.
  public func strokePath() { drawPath(using: .stroke) }

  /// Fills or strokes the current path, or both, as `mode` says, and empties the path.
  public func drawPath(using mode: CGPathDrawingMode) {
    defer { beginPath() }
    guard !currentPath.isEmpty, let inverse = ctm.inverse else { return }
    if let rule = mode.fillRule { surface.fill(currentPath, rule: rule, paint: state.fillPaint) }
    if mode.strokes { stroke(currentPath.applying(inverse)) }
  }

  /// Draws a line along a path that is in the user's coordinates.
  private func stroke(_ path: PathData) {
    guard state.stroke.drawableWidth != nil, ctm.inverse != nil, !path.isEmpty else { return }
    surface.stroke(path, style: state.stroke, transform: ctm, paint: state.strokePaint)
  }

  /// Fills a path that is in the user's coordinates.
  private func fill(_ path: PathData, paint: Paint) {
    let path = path.applying(ctm)
    guard !path.isEmpty, ctm.inverse != nil else { return }
    surface.fill(path, rule: .winding, paint: paint)
  }

  /// Fills a rectangle. Empties the current path.
  public func fill(_ rect: CGRect) {
    beginPath()
    fill(CGPath(rect: rect, transform: nil).data, paint: state.fillPaint)
  }

  /// Fills rectangles. Empties the current path.
  public func fill(_ rects: [CGRect]) { rects.forEach { fill($0) } }

  /// Fills an ellipse inside of a rectangle. Empties the current path.
  public func fillEllipse(in rect: CGRect) {
    beginPath()
    fill(CGPath(ellipseIn: rect, transform: nil).data, paint: state.fillPaint)
  }

  /// Draws along the edges of a rectangle. Empties the current path.
  public func stroke(_ rect: CGRect) {
    beginPath()
    stroke(CGPath(rect: rect, transform: nil).data)
  }

  /// Draws along the edges of a rectangle with a line of this width. Empties the current path.
  public func stroke(_ rect: CGRect, width: CGFloat) {
    withSavedState {
      setLineWidth(width)
      stroke(rect)
    }
  }

  /// Draws along an ellipse inside of a rectangle. Empties the current path.
  public func strokeEllipse(in rect: CGRect) {
    beginPath()
    stroke(CGPath(ellipseIn: rect, transform: nil).data)
  }

  /// Draws a line from the first point to the second, from the third to the fourth, and so on. Empties the current path.
  public func strokeLineSegments(between points: [CGPoint]) {
    beginPath()
    var path = PathData()
    for index in stride(from: 0, to: points.count - 1, by: 2) {
      path.move(to: points[index])
      path.addLine(to: points[index + 1])
    }
    stroke(path)
  }

  /// Makes a rectangle transparent. Empties the current path.
  public func clear(_ rect: CGRect) {
    beginPath()
    fill(CGPath(rect: rect, transform: nil).data, paint: Paint(color: .black, blendMode: .clear, antialiases: state.antialiases))
  }
}

// MARK: - Clip

extension CGContext {
  /// Restricts drawing to the part of the clip that lies inside of the current path, and empties the path. Does nothing if the path is empty.
  public func clip(using rule: CGPathFillRule = .winding) {
    defer { beginPath() }
    guard !currentPath.isEmpty else { return }
    clip(toDevice: currentPath, rule: rule)
  }

  /// Restricts drawing to the part of the clip that lies inside of a rectangle. Empties the current path.
  public func clip(to rect: CGRect) { clip(to: [rect]) }

  /// Restricts drawing to the part of the clip that lies inside of any of the rectangles. Empties the current path.
  public func clip(to rects: [CGRect]) {
    beginPath()
    var path = PathData()
    rects.forEach { path.addRect($0) }
    clip(toDevice: path.applying(ctm), rule: .winding)
  }

  /// A rectangle that encloses the clip, in the user's coordinates.
  public var boundingBoxOfClipPath: CGRect { convertToUserSpace(state.clipBounds) }

  private func clip(toDevice path: PathData, rule: CGPathFillRule) {
    surface.clip(path, rule: rule)
    let both = state.clipBounds.intersection(path.bounds)
    state.clipBounds = both.isNull ? .zero : both
  }
}
