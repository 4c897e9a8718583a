import CLoadingCairo
import Foundation

// Cairo stores coordinates as fixed-point numbers with 24 bits before the point. A larger number overflows or puts the cairo context into an error
// state, in which it ignores all further drawing. These extensions clamp such numbers or tell the caller to leave the shape out.

extension CairoValue {
  /// The largest magnitude of a coordinate, and the largest line width, that is passed to cairo; in pixels.
  static let mostPixels: CGFloat = 4_000_000
  /// The largest magnitude of an element of a transform matrix, or of a gradient's coordinate or radius, that is passed to cairo.
  static let largestElement: CGFloat = 1e7
  /// Text is drawn only if its font size on the bitmap, in pixels, is larger than `smallestFont` and smaller than `largestFont`.
  static let smallestFont: CGFloat = 0.1
  static let largestFont: CGFloat = 4_000
}

extension CGPoint {
  /// This point with both coordinates clamped to ±`CairoValue.mostPixels`, the range that cairo can draw.
  var limited: CGPoint {
    CGPoint(x: max(-CairoValue.mostPixels, min(x, CairoValue.mostPixels)), y: max(-CairoValue.mostPixels, min(y, CairoValue.mostPixels)))
  }

  /// Whether the point lies in the range that cairo can draw. A line of text that begins outside of it can't reach into an image and is left out.
  var isVisible: Bool { self == limited }
}

extension CGAffineTransform {
  /// Whether all elements of this matrix and of its inverse are below `CairoValue.largestElement`. Also false if the matrix has no inverse.
  var isModerate: Bool {
    guard let inverse else { return false }
    return [self, inverse].allSatisfy { matrix in
      [matrix.a, matrix.b, matrix.c, matrix.d, matrix.tx, matrix.ty].allSatisfy { $0.magnitude < CairoValue.largestElement }
    }
  }

  /// The larger of the lengths to which the transform maps the two unit vectors: the factor by which it scales along x or along y.
  var largestScale: CGFloat { max(hypot(a, b), hypot(c, d)) }

  var matrix: loading_cairo_matrix { loading_cairo_matrix(a: a, b: b, c: c, d: d, tx: tx, ty: ty) }
}

extension PlacedGradient.Shape {
  /// Whether all coordinates and radii of the gradient are below `CairoValue.largestElement`.
  var isModerate: Bool {
    let numbers =
      switch self {
      case .linear(let from, let to): [from.x, from.y, to.x, to.y]
      case .radial(let from, let fromRadius, let to, let toRadius): [from.x, from.y, fromRadius, to.x, to.y, toRadius]
      }
    return numbers.allSatisfy { $0.magnitude < CairoValue.largestElement }
  }
}
