import Foundation

/// Distances by which the edges of a rectangle are moved, inwards where they are positive.
public struct UIEdgeInsets: Hashable, Sendable {
  /// The distance from the upper edge, in points.
  public var top: CGFloat
  /// The distance from the left edge, in points.
  public var left: CGFloat
  /// The distance from the lower edge, in points.
  public var bottom: CGFloat
  /// The distance from the right edge, in points.
  public var right: CGFloat

  /// Insets that change nothing.
  public static let zero = UIEdgeInsets()

  /// Insets that change nothing.
  public init() { self.init(top: 0, left: 0, bottom: 0, right: 0) }

  /// The insets with these distances, in points.
  public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
  }
}

extension UIEdgeInsets: Codable {
  /// Reads the numbers as Apple's platforms write them: a list of `top`, `left`, `bottom` and `right`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.listedNumbers(4)
    self.init(top: values[0], left: values[1], bottom: values[2], right: values[3])
  }

  /// Writes the numbers as Apple's platforms do: a list of `top`, `left`, `bottom` and `right`.
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(listed: [top, left, bottom, right])
  }
}

extension CGRect {
  /// This rectangle with its edges moved by `insets`. Its size becomes negative if the insets are larger than the rectangle, as with UIKit.
  public func inset(by insets: UIEdgeInsets) -> CGRect {
    CGRect(
      x: origin.x + insets.left, y: origin.y + insets.top,
      width: size.width - insets.left - insets.right, height: size.height - insets.top - insets.bottom)
  }
}
