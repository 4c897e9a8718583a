import Foundation
import HeadlessDrawing

/// Where a view or an element of a layout lies: UIKit's bounds, center and transform, and the frame that follows from them.
struct ViewGeometry: Equatable, Sendable {
  /// The upper left corner without the transform. It is kept instead of the center, so that a frame reads as it was set.
  private var corner = CGPoint.zero
  private var own = CGRect.zero
  /// The transform about the center.
  var transform = CGAffineTransform.identity

  init(frame: CGRect = .zero) { self.frame = frame }

  /// The rectangle in the element's own coordinates. Setting its size keeps the center.
  var bounds: CGRect {
    get { own }
    set {
      guard newValue.size != own.size else {
        own = newValue
        return
      }
      let middle = center
      own = newValue
      center = middle
    }
  }

  /// The middle of the bounds, in the coordinates of what contains the element.
  var center: CGPoint {
    get { CGPoint(x: corner.x + own.width / 2, y: corner.y + own.height / 2) }
    set { corner = CGPoint(x: newValue.x - own.width / 2, y: newValue.y - own.height / 2) }
  }

  /// The smallest upright rectangle around the transformed bounds. Setting it moves the center and sets the size of the bounds; under a
  /// transform other than the identity, whose frame UIKit leaves undefined, the size is set as if there were none.
  var frame: CGRect {
    get {
      guard transform != .identity else { return CGRect(origin: corner, size: own.size) }
      let (size, center) = (own.size, center)
      let turned = CGRect(x: -size.width / 2, y: -size.height / 2, width: size.width, height: size.height).applying(transform)
      return CGRect(x: turned.origin.x + center.x, y: turned.origin.y + center.y, width: turned.width, height: turned.height)
    }
    set {
      own.size = newValue.size
      corner = newValue.origin
    }
  }
}

extension CGRect {
  /// Whether no coordinate is infinite or not a number.
  var isFinite: Bool { origin.isFinite && size.isFinite }

  /// Whether two rectangles have points in common; those that only touch have none. Unlike Foundation's `intersects(_:)` off Apple's
  /// platforms, this doesn't end the process by coordinates that aren't numbers: nothing has points in common with those.
  func overlaps(_ other: CGRect) -> Bool {
    minX < other.maxX && other.minX < maxX && minY < other.maxY && other.minY < maxY
  }
}

extension CGPoint {
  /// Whether no coordinate is infinite or not a number.
  var isFinite: Bool { x.isFinite && y.isFinite }
}

extension CGSize {
  /// Whether no length is infinite or not a number.
  var isFinite: Bool { width.isFinite && height.isFinite }

  /// This size with lengths that are negative, infinite or not a number replaced by 0.
  var sanitized: CGSize { CGSize(width: width.sanitizedLength, height: height.sanitizedLength) }
}

extension CGFloat {
  /// The greatest length, so that sums of lengths are finite.
  private static let greatestLength: CGFloat = 1e12

  /// This length, or 0 where it is negative, infinite or not a number; at most 10¹².
  var sanitizedLength: CGFloat { isFinite && self > 0 ? Swift.min(self, Self.greatestLength) : 0 }

  /// This distance, or 0 where it is infinite or not a number; at most 10¹² to either side.
  var sanitizedDistance: CGFloat { isFinite ? Swift.max(Swift.min(self, Self.greatestLength), -Self.greatestLength) : 0 }
}

extension UIEdgeInsets {
  /// These insets with distances that are infinite or not a number replaced by 0.
  var sanitized: UIEdgeInsets {
    UIEdgeInsets(
      top: top.sanitizedDistance, left: left.sanitizedDistance, bottom: bottom.sanitizedDistance, right: right.sanitizedDistance)
  }
}
