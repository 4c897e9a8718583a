import Foundation

extension UIView {
  /// How content is fitted into the bounds of its view.
  public enum ContentMode: Int, Sendable {
    /// The content is stretched to the bounds.
    case scaleToFill
    /// The content is as large as fits into the bounds, with its proportions.
    case scaleAspectFit
    /// The content is as small as fills the bounds, with its proportions.
    case scaleAspectFill
    /// Has the same effect as `scaleToFill` here.
    case redraw
    /// The content has its own size and is centered.
    case center
    /// The content has its own size and is at the middle of the upper edge.
    case top
    /// The content has its own size and is at the middle of the lower edge.
    case bottom
    /// The content has its own size and is at the middle of the left edge.
    case left
    /// The content has its own size and is at the middle of the right edge.
    case right
    /// The content has its own size and is in the upper left corner.
    case topLeft
    /// The content has its own size and is in the upper right corner.
    case topRight
    /// The content has its own size and is in the lower left corner.
    case bottomLeft
    /// The content has its own size and is in the lower right corner.
    case bottomRight
  }

  /// Which margins and lengths of a view change when its superview's size changes. Several of them share the change in proportion to their sizes.
  public struct AutoresizingMask: OptionSet, Sendable {
    /// The option set as bits.
    public let rawValue: UInt
    /// The option set with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The distance from the superview's left edge changes.
    public static let flexibleLeftMargin = AutoresizingMask(rawValue: 1)
    /// The width changes.
    public static let flexibleWidth = AutoresizingMask(rawValue: 2)
    /// The distance from the superview's right edge changes.
    public static let flexibleRightMargin = AutoresizingMask(rawValue: 4)
    /// The distance from the superview's upper edge changes.
    public static let flexibleTopMargin = AutoresizingMask(rawValue: 8)
    /// The height changes.
    public static let flexibleHeight = AutoresizingMask(rawValue: 16)
    /// The distance from the superview's lower edge changes.
    public static let flexibleBottomMargin = AutoresizingMask(rawValue: 32)
  }

  /// Changes the frame by the autoresizing mask when the superview's size has changed.
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

  /// The new start and length in one direction, after the superview's length has changed from `old` to `new`.
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
