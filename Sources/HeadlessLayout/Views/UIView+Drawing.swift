import Foundation
import HeadlessDrawing

extension UIView {
  /// Lays the view out if needed, and draws it with its subviews into the current context, scaled to `rect`.
  ///
  /// ```swift
  /// let image = UIGraphicsImageRenderer(bounds: view.bounds).image { _ in
  ///   view.drawHierarchy(in: view.bounds, afterScreenUpdates: true)
  /// }
  /// ```
  ///
  /// Each view draws its background color and the contents of `draw(_:)`, both clipped to its bounds, then its subviews from back to front. Its
  /// transform applies to all of that, and its opacity to the whole. Hidden views and views with coordinates that aren't finite are left out.
  ///
  /// - Returns: False if there is no current context, `rect` isn't finite, or the view has no size.
  @discardableResult
  public func drawHierarchy(in rect: CGRect, afterScreenUpdates afterUpdates: Bool) -> Bool {
    layoutIfNeeded()
    let bounds = bounds
    guard let context = UIGraphicsGetCurrentContext(), rect.isFinite, bounds.isFinite, bounds.width > 0, bounds.height > 0 else {
      return false
    }
    context.saveGState()
    context.translateBy(x: rect.minX, y: rect.minY)
    context.scaleBy(x: rect.width / bounds.width, y: rect.height / bounds.height)
    context.translateBy(x: -bounds.minX, y: -bounds.minY)
    render(in: context)
    context.restoreGState()
    return true
  }

  /// Draws the view and its subviews into a context that has the coordinates of the view's bounds.
  private func render(in context: CGContext) {
    guard !isHidden, alpha > 0, bounds.isFinite else { return }
    prepareToDraw()
    let isTranslucent = alpha < 1
    context.saveGState()
    if isTranslucent {
      context.setAlpha(alpha)
      context.beginTransparencyLayer(auxiliaryInfo: nil)
    }
    renderContent(in: context)
    if clipsToBounds { context.clip(to: bounds) }
    for view in subviews where view.geometry.isDrawable {
      let geometry = view.geometry
      context.saveGState()
      context.translateBy(x: geometry.center.x, y: geometry.center.y)
      context.concatenate(geometry.transform)
      context.translateBy(x: -geometry.bounds.midX, y: -geometry.bounds.midY)
      view.render(in: context)
      context.restoreGState()
    }
    if isTranslucent { context.endTransparencyLayer() }
    context.restoreGState()
  }

  /// Draws the background color and the contents of `draw(_:)`, clipped to the bounds.
  private func renderContent(in context: CGContext) {
    let bounds = bounds
    guard bounds.width > 0, bounds.height > 0 else { return }
    context.saveGState()
    context.clip(to: bounds)
    if let backgroundColor {
      context.saveGState()
      context.setFillColor(backgroundColor.cgColor)
      context.fill(bounds)
      context.restoreGState()
    }
    draw(bounds)
    context.restoreGState()
  }
}

extension ViewGeometry {
  /// Whether all coordinates and elements of the transform are finite.
  fileprivate var isDrawable: Bool {
    let numbers = [transform.a, transform.b, transform.c, transform.d, transform.tx, transform.ty]
    return bounds.isFinite && center.isFinite && numbers.allSatisfy(\.isFinite)
  }
}
