import Foundation

/// A 3 × 3 matrix that maps points of one coordinate system to another: `x' = a·x + c·y + tx`, `y' = b·x + d·y + ty`.
///
/// Points are rows and a transform is multiplied on their right, as in Core Graphics: `t1.concatenating(t2)` applies `t1` first, while
/// `t.translatedBy(x:y:)`, `t.scaledBy(x:y:)` and `t.rotated(by:)` apply the new operation before `t`.
public struct CGAffineTransform: Hashable, Sendable {
  /// The factor by which x contributes to the new x.
  public var a: CGFloat
  /// The factor by which x contributes to the new y.
  public var b: CGFloat
  /// The factor by which y contributes to the new x.
  public var c: CGFloat
  /// The factor by which y contributes to the new y.
  public var d: CGFloat
  /// The shift along x: the number that is added to the new x.
  public var tx: CGFloat
  /// The shift along y: the number that is added to the new y.
  public var ty: CGFloat

  /// The transform that maps every point to itself.
  public static let identity = CGAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

  /// A matrix of zeros, as Core Graphics makes it; the transform that changes nothing is ``identity``.
  public init() { self.init(a: 0, b: 0, c: 0, d: 0, tx: 0, ty: 0) }

  /// The matrix with these elements.
  public init(a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.tx = tx
    self.ty = ty
  }

  /// The matrix with these elements, in the order a, b, c, d, tx, ty.
  public init(_ a: CGFloat, _ b: CGFloat, _ c: CGFloat, _ d: CGFloat, _ tx: CGFloat, _ ty: CGFloat) {
    self.init(a: a, b: b, c: c, d: d, tx: tx, ty: ty)
  }

  /// A rotation about the origin by `angle` radians, from the positive x axis to the positive y axis: clockwise where y grows downwards.
  public init(rotationAngle angle: CGFloat) {
    let (sine, cosine) = (sin(angle), cos(angle))
    self.init(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
  }

  /// A scaling by `x` and `y`.
  public init(scaleX x: CGFloat, y: CGFloat) { self.init(a: x, b: 0, c: 0, d: y, tx: 0, ty: 0) }

  /// A shift by `x` and `y`.
  public init(translationX x: CGFloat, y: CGFloat) { self.init(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y) }

  /// Whether this is ``identity``.
  public var isIdentity: Bool { self == .identity }

  /// This transform, after a shift by `x` and `y` in its own coordinate system.
  public func translatedBy(x: CGFloat, y: CGFloat) -> CGAffineTransform {
    CGAffineTransform(translationX: x, y: y).concatenating(self)
  }

  /// This transform, after a scaling by `x` and `y` in its own coordinate system.
  public func scaledBy(x: CGFloat, y: CGFloat) -> CGAffineTransform {
    CGAffineTransform(scaleX: x, y: y).concatenating(self)
  }

  /// This transform, after a rotation by `angle` radians in its own coordinate system.
  public func rotated(by angle: CGFloat) -> CGAffineTransform {
    CGAffineTransform(rotationAngle: angle).concatenating(self)
  }

  /// The transform that applies this one first and `second` to the result.
  public func concatenating(_ second: CGAffineTransform) -> CGAffineTransform {
    CGAffineTransform(
      a: a * second.a + b * second.c,
      b: a * second.b + b * second.d,
      c: c * second.a + d * second.c,
      d: c * second.b + d * second.d,
      tx: tx * second.a + ty * second.c + second.tx,
      ty: tx * second.b + ty * second.d + second.ty)
  }

  /// The transform that undoes this one; this transform itself if there is none, as in Core Graphics.
  public func inverted() -> CGAffineTransform { inverse ?? self }

  /// The transform that undoes this one, or nil if the matrix is singular or has elements that aren't finite.
  var inverse: CGAffineTransform? {
    let determinant = self.determinant
    guard determinant != 0, determinant.isFinite, tx.isFinite, ty.isFinite else { return nil }
    let result = CGAffineTransform(
      a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant,
      tx: (c * ty - d * tx) / determinant, ty: (b * tx - a * ty) / determinant)
    return result.isFinite ? result : nil
  }

  /// The factor by which the transform changes areas; negative if it mirrors.
  var determinant: CGFloat { a * d - b * c }

  var isFinite: Bool { a.isFinite && b.isFinite && c.isFinite && d.isFinite && tx.isFinite && ty.isFinite }

  /// The factor by which the transform scales all lengths, or nil if that depends on the direction.
  var uniformScale: CGFloat? {
    let tolerance = 1e-9 * (abs(a) + abs(b) + abs(c) + abs(d))
    let keepsAngles = abs(a - d) <= tolerance && abs(b + c) <= tolerance
    let mirrors = abs(a + d) <= tolerance && abs(b - c) <= tolerance
    return keepsAngles || mirrors ? hypot(a, b) : nil
  }
}

extension CGAffineTransform: Codable {
  /// Reads the numbers as Apple's platforms write them: a list of `a`, `b`, `c`, `d`, `tx` and `ty`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.listedNumbers(6)
    self.init(a: values[0], b: values[1], c: values[2], d: values[3], tx: values[4], ty: values[5])
  }

  /// Writes the numbers as Apple's platforms do: a list of `a`, `b`, `c`, `d`, `tx` and `ty`.
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(listed: [a, b, c, d, tx, ty])
  }
}

extension CGPoint {
  /// The point that `transform` maps this one to.
  public func applying(_ transform: CGAffineTransform) -> CGPoint {
    CGPoint(x: transform.a * x + transform.c * y + transform.tx, y: transform.b * x + transform.d * y + transform.ty)
  }

  var isFinite: Bool { x.isFinite && y.isFinite }
}

extension CGSize {
  /// This size under `transform`, without its translation. Width and height may become negative.
  public func applying(_ transform: CGAffineTransform) -> CGSize {
    CGSize(
      width: transform.a * width + transform.c * height,
      height: transform.b * width + transform.d * height)
  }
}

extension CGRect {
  /// The smallest rectangle that encloses the four corners under `transform`. The null and the infinite rectangle stay as they are.
  public func applying(_ transform: CGAffineTransform) -> CGRect {
    guard !isNull, self != .infinite else { return self }
    let corners = [
      CGPoint(x: minX, y: minY), CGPoint(x: maxX, y: minY), CGPoint(x: maxX, y: maxY), CGPoint(x: minX, y: maxY),
    ].map { $0.applying(transform) }
    let first = corners[0]
    var (low, high) = (first, first)
    for corner in corners {
      low = CGPoint(x: min(low.x, corner.x), y: min(low.y, corner.y))
      high = CGPoint(x: max(high.x, corner.x), y: max(high.y, corner.y))
    }
    return CGRect(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
  }

  var isFinite: Bool { origin.isFinite && size.width.isFinite && size.height.isFinite }
}
