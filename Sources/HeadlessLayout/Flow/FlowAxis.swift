import Foundation
import HeadlessDrawing

/// The two directions of a flow layout: lines follow each other along it, and reach across it.
struct FlowAxis: Equatable, Sendable {
  private let isVertical: Bool

  init(_ direction: UICollectionView.ScrollDirection) { isVertical = direction == .vertical }

  /// The length of a size in the direction in which lines follow each other.
  func along(_ size: CGSize) -> CGFloat { isVertical ? size.height : size.width }

  /// The length of a size in the direction in which a line's items follow each other.
  func across(_ size: CGSize) -> CGFloat { isVertical ? size.width : size.height }

  /// A size.
  func size(along: CGFloat, across: CGFloat) -> CGSize {
    isVertical ? CGSize(width: across, height: along) : CGSize(width: along, height: across)
  }

  /// A rectangle.
  func rect(along: CGFloat, across: CGFloat, size: CGSize) -> CGRect {
    CGRect(origin: isVertical ? CGPoint(x: across, y: along) : CGPoint(x: along, y: across), size: size)
  }

  /// The start and the end of a rectangle in the direction in which lines follow each other.
  func along(_ rect: CGRect) -> (start: CGFloat, end: CGFloat) { isVertical ? (rect.minY, rect.maxY) : (rect.minX, rect.maxX) }

  /// The insets before and after the lines.
  func along(_ insets: UIEdgeInsets) -> (start: CGFloat, end: CGFloat) {
    isVertical ? (insets.top, insets.bottom) : (insets.left, insets.right)
  }

  /// The insets at both ends of a line.
  func across(_ insets: UIEdgeInsets) -> (start: CGFloat, end: CGFloat) {
    isVertical ? (insets.left, insets.right) : (insets.top, insets.bottom)
  }

  /// A rectangle moved to another start.
  func moved(_ rect: CGRect, to start: CGFloat) -> CGRect {
    CGRect(origin: isVertical ? CGPoint(x: rect.origin.x, y: start) : CGPoint(x: start, y: rect.origin.y), size: rect.size)
  }
}
