import Foundation

/// A drawing destination and the state that drawing functions read: colors, line attributes, transform, clip and current path.
public final class CGContext {
  let surface: any DrawingSurface
  /// The size of the surface in pixels.
  let surfaceSize: CGSize
  var state: GraphicsState
  private var saved: [GraphicsState] = []
  /// The number of saved states at the beginning of each open transparency layer: `restoreGState()` doesn't restore a state from before its layer.
  private var layers: [Int] = []
  /// The current path, in the surface's coordinates.
  var currentPath = PathData()

  /// - Parameter transform: The initial ``ctm``: from the user's coordinates to the surface's, which are pixels.
  init(surface: any DrawingSurface, size: CGSize, transform: CGAffineTransform) {
    self.surface = surface
    surfaceSize = size
    state = GraphicsState(transform: transform, clipBounds: CGRect(origin: .zero, size: size))
  }

  /// The width in pixels.
  public var width: Int { Int(surfaceSize.width) }

  /// The height in pixels.
  public var height: Int { Int(surfaceSize.height) }

  /// Saves the state except the current path, to be restored by `restoreGState()`.
  public func saveGState() {
    saved.append(state)
    surface.save()
  }

  /// Restores the state that the last unmatched call of `saveGState()` saved.
  public func restoreGState() {
    guard saved.count > layers.last ?? 0, let last = saved.popLast() else { return }
    state = last
    surface.restore()
  }

  /// Calls `body` between `saveGState()` and `restoreGState()`, so that its changes of the state end with it.
  func withSavedState(_ body: () -> Void) {
    saveGState()
    body()
    restoreGState()
  }

  /// Begins a transparency layer: drawing until `endTransparencyLayer()` goes to an empty layer, which is then drawn as a whole with the context's
  /// current alpha and blend mode. Inside of the layer these are 1 and normal.
  public func beginTransparencyLayer(auxiliaryInfo: NSDictionary?) {
    saveGState()
    surface.beginLayer(alpha: state.alpha, blendMode: state.blendMode)
    layers.append(saved.count)
    state.alpha = 1
    state.blendMode = .normal
  }

  /// Draws the layer that `beginTransparencyLayer(auxiliaryInfo:)` began, and restores the state from before it.
  public func endTransparencyLayer() {
    guard let base = layers.last else { return }
    while saved.count > base { restoreGState() }
    layers.removeLast()
    surface.endLayer()
    restoreGState()
  }

  /// Ends the transparency layers that are still open when a renderer's closure has returned.
  func endLayers() {
    while !layers.isEmpty { endTransparencyLayer() }
  }

  /// An image of what has been drawn so far; nil if the context has no pixels, such as one that records SVG.
  public func makeImage() -> CGImage? { surface.makeImage() }
}

// MARK: - Transform

extension CGContext {
  /// The current transformation matrix: from the coordinates of drawing functions to pixels, counted from the upper left corner.
  public var ctm: CGAffineTransform { state.transform }

  /// Moves the origin of the coordinates of later drawing by `x` and `y`.
  public func translateBy(x: CGFloat, y: CGFloat) { state.transform = state.transform.translatedBy(x: x, y: y) }

  /// Scales the coordinates of later drawing by `x` and `y`.
  public func scaleBy(x: CGFloat, y: CGFloat) { state.transform = state.transform.scaledBy(x: x, y: y) }

  /// Rotates the coordinates of later drawing about the origin, clockwise on the screen.
  ///
  /// - Parameter angle: In radians.
  public func rotate(by angle: CGFloat) { state.transform = state.transform.rotated(by: angle) }

  /// Applies `transform` to later drawing, before ``ctm``.
  public func concatenate(_ transform: CGAffineTransform) { state.transform = transform.concatenating(state.transform) }

  /// Converts a point in user coordinates to pixels.
  public func convertToDeviceSpace(_ point: CGPoint) -> CGPoint { point.applying(ctm) }

  /// Converts a size in user coordinates to pixels.
  public func convertToDeviceSpace(_ size: CGSize) -> CGSize { size.applying(ctm) }

  /// The smallest rectangle in pixels that encloses a rectangle in user coordinates.
  public func convertToDeviceSpace(_ rect: CGRect) -> CGRect { rect.applying(ctm) }

  /// Converts a point in pixels to user coordinates.
  public func convertToUserSpace(_ point: CGPoint) -> CGPoint { point.applying(ctm.inverted()) }

  /// Converts a size in pixels to user coordinates.
  public func convertToUserSpace(_ size: CGSize) -> CGSize { size.applying(ctm.inverted()) }

  /// The smallest rectangle in user coordinates that encloses a rectangle in pixels.
  public func convertToUserSpace(_ rect: CGRect) -> CGRect { rect.applying(ctm.inverted()) }
}
