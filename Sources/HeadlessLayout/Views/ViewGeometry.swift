import Foundation
import HeadlessDrawing

/// The position of a view or a layout's element: its bounds, center and transform, and its frame, which is computed from them, as in UIKit.
struct ViewGeometry: Equatable, Sendable {
  /// The upper left corner of the frame without the transform. It is stored instead of the center, so that a frame is read exactly as it was set.
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

  /// The center of the element in its container's coordinates.
  var center: CGPoint {
    get { CGPoint(x: corner.x + own.width / 2, y: corner.y + own.height / 2) }
    set { corner = CGPoint(x: newValue.x - own.width / 2, y: newValue.y - own.height / 2) }
  }

  /// The smallest upright rectangle that encloses the transformed bounds. Setting it sets the center and the size of the bounds. With a transform
  /// other than the identity, for which UIKit leaves the frame undefined, the size is set as if there were no transform.
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
  /// Whether no coordinate is infinite or NaN.
  var isFinite: Bool { origin.isFinite && size.isFinite }

  /// Whether two rectangles have an area in common; touching isn't enough. Unlike Foundation's `intersects(_:)` on other platforms than Apple's, this
  /// doesn't crash on coordinates that are NaN, which overlap nothing.
  func overlaps(_ other: CGRect) -> Bool {
    minX < other.maxX && other.minX < maxX && minY < other.maxY && other.minY < maxY
  }
}

extension CGPoint {
  /// Whether no coordinate is infinite or NaN.
  var isFinite: Bool { x.isFinite && y.isFinite }
}

extension CGSize {
  /// Whether no length is infinite or NaN.
  var isFinite: Bool { width.isFinite && height.isFinite }

  /// This size with lengths that are negative, infinite or NaN replaced by 0.
  var sanitized: CGSize { CGSize(width: width.sanitizedLength, height: height.sanitizedLength) }
}

extension CGFloat {
  /// The limit of lengths, so that sums of lengths stay finite.
  private static let greatestLength: CGFloat = 1e12

  /// This length; 0 if it is negative, infinite or NaN; at most 10¹².
  var sanitizedLength: CGFloat { isFinite && self > 0 ? Swift.min(self, Self.greatestLength) : 0 }

  /// This distance; 0 if it is infinite or NaN; limited to ±10¹².
  var sanitizedDistance: CGFloat { isFinite ? Swift.max(Swift.min(self, Self.greatestLength), -Self.greatestLength) : 0 }
}

extension UIEdgeInsets {
  /// These insets with distances that are infinite or NaN replaced by 0.
  var sanitized: UIEdgeInsets {
    UIEdgeInsets(
      top: top.sanitizedDistance, left: left.sanitizedDistance, bottom: bottom.sanitizedDistance, right: right.sanitizedDistance)
  }
}
