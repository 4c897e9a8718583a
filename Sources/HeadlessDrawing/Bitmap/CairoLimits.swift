import CLoadingCairo
import Foundation

// Cairo's numbers have 24 bits before the point. What is beyond them, or would become an error, after which cairo draws nothing at all, is
// limited or left out.

extension CairoValue {
  /// The largest coordinate and width.
  static let mostPixels: CGFloat = 4_000_000
  /// The largest element of a matrix.
  static let largestElement: CGFloat = 1e7
  /// Sizes of fonts between which text is drawn, in pixels.
  static let smallestFont: CGFloat = 0.1
  static let largestFont: CGFloat = 4_000
}

extension CGPoint {
  /// The nearest point that cairo can draw.
  var limited: CGPoint {
    CGPoint(x: max(-CairoValue.mostPixels, min(x, CairoValue.mostPixels)), y: max(-CairoValue.mostPixels, min(y, CairoValue.mostPixels)))
  }

  /// Whether something that begins at the point can be in an image.
  var isVisible: Bool { self == limited }
}

extension CGAffineTransform {
  /// Whether neither the matrix nor its inverse has elements that are too large for cairo.
  var isModerate: Bool {
    guard let inverse else { return false }
    return [self, inverse].allSatisfy { matrix in
      [matrix.a, matrix.b, matrix.c, matrix.d, matrix.tx, matrix.ty].allSatisfy { $0.magnitude < CairoValue.largestElement }
    }
  }

  /// A bound of the factors by which lengths are scaled in the different directions.
  var largestScale: CGFloat { max(hypot(a, b), hypot(c, d)) }

  var matrix: loading_cairo_matrix { loading_cairo_matrix(a: a, b: b, c: c, d: d, tx: tx, ty: ty) }
}

extension PlacedGradient.Shape {
  /// Whether no number is too large for cairo.
  var isModerate: Bool {
    let numbers =
      switch self {
      case .linear(let from, let to): [from.x, from.y, to.x, to.y]
      case .radial(let from, let fromRadius, let to, let toRadius): [from.x, from.y, fromRadius, to.x, to.y, toRadius]
      }
    return numbers.allSatisfy { $0.magnitude < CairoValue.largestElement }
  }
}
