import Foundation

extension UIView {
  /// How a content is fitted into the bounds of its view.
  public enum ContentMode: Int, Sendable {
    /// Stretched to the bounds.
    case scaleToFill
    /// As large as fits, with its proportions.
    case scaleAspectFit
    /// As small as fills the bounds, with its proportions.
    case scaleAspectFill
    /// As `scaleToFill` here.
    case redraw
    /// In its own size, in the middle.
    case center
    /// In its own size, at the middle of the upper edge.
    case top
    /// In its own size, at the middle of the lower edge.
    case bottom
    /// In its own size, at the middle of the left edge.
    case left
    /// In its own size, at the middle of the right edge.
    case right
    /// In its own size, in the upper left corner.
    case topLeft
    /// In its own size, in the upper right corner.
    case topRight
    /// In its own size, in the lower left corner.
    case bottomLeft
    /// In its own size, in the lower right corner.
    case bottomRight
  }

  /// Which distances and lengths of a view follow a change of its superview's size; several share it in proportion to what they are.
  public struct AutoresizingMask: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// A mask of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The distance from the left edge.
    public static let flexibleLeftMargin = AutoresizingMask(rawValue: 1)
    /// The width.
    public static let flexibleWidth = AutoresizingMask(rawValue: 2)
    /// The distance from the right edge.
    public static let flexibleRightMargin = AutoresizingMask(rawValue: 4)
    /// The distance from the upper edge.
    public static let flexibleTopMargin = AutoresizingMask(rawValue: 8)
    /// The height.
    public static let flexibleHeight = AutoresizingMask(rawValue: 16)
    /// The distance from the lower edge.
    public static let flexibleBottomMargin = AutoresizingMask(rawValue: 32)
  }

  /// Changes the frame by the mask when the superview's size changes.
  func followSuperview(from old: CGSize, to new: CGSize) {
    guard !autoresizingMask.isEmpty else { return }
    let mask = autoresizingMask
    var changed = frame
    (changed.origin.x, changed.size.width) = Self.follow(
      (changed.origin.x, changed.size.width), of: old.width, to: new.width,
      flexible: (mask.contains(.flexibleLeftMargin), mask.contains(.flexibleWidth), mask.contains(.flexibleRightMargin)))
    (changed.origin.y, changed.size.height) = Self.follow(
      (changed.origin.y, changed.size.height), of: old.height, to: new.height,
      flexible: (mask.contains(.flexibleTopMargin), mask.contains(.flexibleHeight), mask.contains(.flexibleBottomMargin)))
    frame = changed
  }

  /// One direction of a change: the new start and length.
  private static func follow(
    _ range: (start: CGFloat, length: CGFloat), of old: CGFloat, to new: CGFloat, flexible: (start: Bool, length: Bool, end: Bool)
  ) -> (CGFloat, CGFloat) {
    let parts = [
      flexible.start ? range.start : nil, flexible.length ? range.length : nil, flexible.end ? old - range.start - range.length : nil,
    ]
    let count = parts.count { $0 != nil }
    guard count > 0, old != new else { return range }
    let sum = parts.reduce(0) { $0 + ($1 ?? 0) }
    let shares = parts.map { part in part.map { (new - old) * (sum > 0 ? $0 / sum : 1 / CGFloat(count)) } ?? 0 }
    return (range.start + shares[0], range.length + shares[1])
  }
}
