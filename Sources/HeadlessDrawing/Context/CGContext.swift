import Foundation

/// What drawing functions draw on, with the state that they read: colors, line, transform, clip and current path.
///
/// Renderers (`UIGraphicsImageRenderer`) and `UIGraphicsBeginImageContextWithOptions` make contexts. The origin is the upper left corner
/// and y grows downwards, as in UIKit; ``ctm`` maps to pixels in the same direction, where UIKit's turns y upwards. A context may be used
/// on one thread at a time.
///
/// Nothing stops the program here: numbers that aren't finite are ignored, a transform that has no inverse draws nothing, a call of
/// `restoreGState()` too many changes nothing.
public final class CGContext {
  let surface: any DrawingSurface
  /// The size of the surface, in its coordinates.
  let surfaceSize: CGSize
  var state: GraphicsState
  private var saved: [GraphicsState] = []
  /// For each layer that was begun and not ended, how many states were saved when it began.
  private var layers: [Int] = []
  /// The current path, in the surface's coordinates.
  var currentPath = PathData()

  /// - Parameter transform: From the user's coordinates to the surface's.
  init(surface: any DrawingSurface, size: CGSize, transform: CGAffineTransform) {
    self.surface = surface
    surfaceSize = size
    state = GraphicsState(transform: transform, clipBounds: CGRect(origin: .zero, size: size))
  }

  /// The width in pixels.
  public var width: Int { Int(surfaceSize.width) }

  /// The height in pixels.
  public var height: Int { Int(surfaceSize.height) }

  /// Keeps the state, without the current path, for `restoreGState()`.
  public func saveGState() {
    saved.append(state)
    surface.save()
  }

  /// Brings back the state of the last call of `saveGState()` that wasn't brought back yet.
  public func restoreGState() {
    guard saved.count > layers.last ?? 0, let last = saved.popLast() else { return }
    state = last
    surface.restore()
  }

  /// Draws what the body does with the state as it is, and brings the state back.
  func withSavedState(_ body: () -> Void) {
    saveGState()
    body()
    restoreGState()
  }

  /// Begins a layer: what is drawn until `endTransparencyLayer()` is drawn on nothing first, and then as a whole with the context's
  /// alpha and blend mode. Inside of the layer these are 1 and normal.
  public func beginTransparencyLayer(auxiliaryInfo: NSDictionary?) {
    saveGState()
    surface.beginLayer(alpha: state.alpha, blendMode: state.blendMode)
    layers.append(saved.count)
    state.alpha = 1
    state.blendMode = .normal
  }

  /// Draws the layer that `beginTransparencyLayer(auxiliaryInfo:)` began, and brings back the state from before it.
  public func endTransparencyLayer() {
    guard let base = layers.last else { return }
    while saved.count > base { restoreGState() }
    layers.removeLast()
    surface.endLayer()
    restoreGState()
  }

  /// Ends the layers that are left, at the end of drawing.
  func endLayers() {
    while !layers.isEmpty { endTransparencyLayer() }
  }

  /// What was drawn so far; nil if the context has no pixels, such as one that records SVG.
  public func makeImage() -> CGImage? { surface.makeImage() }
}

// MARK: - Transform

extension CGContext {
  /// The transform from the coordinates of drawing functions to pixels from the upper left corner.
  public var ctm: CGAffineTransform { state.transform }

  /// Moves the origin.
  public func translateBy(x: CGFloat, y: CGFloat) { state.transform = state.transform.translatedBy(x: x, y: y) }

  /// Scales what is drawn.
  public func scaleBy(x: CGFloat, y: CGFloat) { state.transform = state.transform.scaledBy(x: x, y: y) }

  /// Rotates what is drawn about the origin, clockwise on the screen.
  ///
  /// - Parameter angle: In radians.
  public func rotate(by angle: CGFloat) { state.transform = state.transform.rotated(by: angle) }

  /// Applies a transform to what is drawn, before ``ctm``.
  public func concatenate(_ transform: CGAffineTransform) { state.transform = transform.concatenating(state.transform) }

  /// The point in pixels.
  public func convertToDeviceSpace(_ point: CGPoint) -> CGPoint { point.applying(ctm) }

  /// The size in pixels.
  public func convertToDeviceSpace(_ size: CGSize) -> CGSize { size.applying(ctm) }

  /// The box in pixels of a rectangle.
  public func convertToDeviceSpace(_ rect: CGRect) -> CGRect { rect.applying(ctm) }

  /// The point of a pixel.
  public func convertToUserSpace(_ point: CGPoint) -> CGPoint { point.applying(ctm.inverted()) }

  /// The size of a number of pixels.
  public func convertToUserSpace(_ size: CGSize) -> CGSize { size.applying(ctm.inverted()) }

  /// The box of a rectangle in pixels.
  public func convertToUserSpace(_ rect: CGRect) -> CGRect { rect.applying(ctm.inverted()) }
}
